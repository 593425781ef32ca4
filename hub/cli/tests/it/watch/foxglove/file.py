"""Reads an exported MCAP file with the official MCAP reader, and checks its well-known messages against Foxglove's schemas.
Prints one JSON object: schemas by topic, and messages by topic."""

import json
import sys

from mcap.reader import make_reader
from viewer import check

schemas, counts, before = {}, {}, 0
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file)
    for schema, channel, message in reader.iter_messages():
        assert (channel.message_encoding, schema.encoding) == ("json", "jsonschema")
        assert json.loads(schema.data)["title"] == schema.name
        assert message.log_time >= before, "messages are in the order of time"
        before = message.log_time
        check(schema.name, json.loads(message.data))
        schemas[channel.topic] = schema.name
        counts[channel.topic] = counts.get(channel.topic, 0) + 1
    summary = reader.get_summary()
    assert sum(summary.statistics.channel_message_counts.values()) == sum(counts.values())
print(json.dumps({"schemas": schemas, "counts": counts}))
