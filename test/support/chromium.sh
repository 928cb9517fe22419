#!/bin/sh
# Starts the Chromium that TEST_BROWSER names, without the pages that it keeps ready behind the address bar of each
# window: a small page in a new window takes less than half of the processor time without them. Of several
# --disable-features the last one counts, and Playwright has one; so they are added to that.
for argument do
  shift
  case $argument in
    --disable-features=*) argument="$argument,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup" ;;
  esac
  set -- "$@" "$argument"
done
exec "$TEST_BROWSER" "$@"
