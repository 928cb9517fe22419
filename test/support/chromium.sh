#!/bin/sh
# Starts the Chromium that TEST_BROWSER names, without the pages that it keeps ready behind the address bar of each
# window: they take more than half of the processor time of a test. Of several --disable-features the last one counts,
# and Playwright has one; so they are added to that.
for argument do
  shift
  case $argument in
    --disable-features=*) argument="$argument,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup" ;;
  esac
  set -- "$@" "$argument"
done
exec "$TEST_BROWSER" "$@"
