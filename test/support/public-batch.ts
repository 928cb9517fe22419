/** The response of `POST /api/batch`. */
export interface BatchAnswer {
  results: {
    id: string | number | null;
    op: string | null;
    status: number;
    body: {
      error?: {
        code: string;
        message: string;
        request_id?: string;
        details?: { path: string }[];
      };
    };
  }[];
  count: number;
  failed: number;
}
