#!/bin/sh
# Checks the subjects of commits: `area: what changes`, at most 72 characters, no full stop.
#   sh tools/subjects.sh [RANGE]      default: the commits that the upstream branch does not have, or else the last one
set -eu
if [ $# -gt 0 ]; then
    range=$1
elif git rev-parse --verify --quiet '@{upstream}' > /dev/null; then
    range='@{upstream}..HEAD'
else
    range='HEAD -1'
fi
# The default range has two words.
# shellcheck disable=SC2086
git log --no-merges --format='%h %s' $range | awk '
    {
        subject = substr($0, length($1) + 2)
        problem = ""
        if (length(subject) > 72) problem = "is longer than 72 characters"
        else if (subject !~ /^[a-z0-9-]+(, [a-z0-9-]+)*: [^ ]/) problem = "does not begin with an area, such as `docs: `"
        else if (subject ~ /\.$/) problem = "ends with a full stop"
        if (problem != "") { print $1 ": the subject " problem ": " subject; bad = 1 }
    }
    END { exit bad }'
