/**
 * The start of a shell script that installs packages with apt-get. Debian starts a service as soon as its package is
 * installed, unless policy-rc.d forbids it. Ours exists only during the installation and never replaces one that the
 * machine already has.
 */
export const KEEP_SERVICES_STOPPED = `
set -eu
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
mark='# left by the domain marketplace while it installs a package; safe to remove'
if [ -f "$policy" ] && grep -qF "$mark" "$policy"; then rm -f "$policy"; fi
if (set -C; printf '#!/bin/sh\\n%s\\nexit 101\\n' "$mark" > "$policy") 2>/dev/null; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 1' HUP INT TERM
  chmod 755 "$policy"
fi
`.trim();
