/**
 * A table of durable work that the relay carries to BullMQ. Claims are committed before Redis is touched;
 * whatever goes wrong after that is put right by the lease of the claim.
 */
export interface DispatchSource {
  name: string;
  /** Sends due rows, `limit` at a time; returns how many were claimed. Fewer than that were all that is due. */
  dispatch(limit: number): Promise<number>;
  /**
   * Looks after rows that were sent and are past their lease (after `wiped`, when Redis may have lost
   * jobs, after all that were sent) and makes those due again whose job is gone. Returns how many.
   */
  reconcile(options: { wiped: boolean }): Promise<number>;
}
