"""A viewer of Foxglove's WebSocket protocol without code of Xpuck: it connects, subscribes to all topics, and checks messages
against Foxglove's own schemas. Prints one JSON object: schemas by topic, messages by topic, and the last transforms."""

import asyncio
import datetime
import json
import struct
import sys

import websockets
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.Log_pb2 import Log
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from google.protobuf.json_format import ParseDict

KNOWN = {"foxglove." + kind.DESCRIPTOR.name: kind for kind in (FrameTransforms, Log, SceneUpdate)}


def as_protobuf(value, key=""):
    """Converts times in Foxglove's JSON to the form of protobuf's JSON."""
    if isinstance(value, list):
        return [as_protobuf(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"sec", "nsec"}:
        if key == "lifetime":
            return f"{value['sec']}.{value['nsec']:09}s"
        day = datetime.datetime.fromtimestamp(value["sec"], datetime.timezone.utc)
        return day.strftime("%Y-%m-%dT%H:%M:%S") + f".{value['nsec']:09}Z"
    return {name: as_protobuf(inner, name) for name, inner in value.items()}


def check(schema, message):
    """Raises if a message of a well-known schema has an unknown field, or a field of another type than Foxglove's schema."""
    if schema in KNOWN:
        ParseDict(as_protobuf(message), KNOWN[schema]())


async def look(address, seconds):
    async with websockets.connect(address, subprotocols=["foxglove.sdk.v1"], max_size=None) as socket:
        assert socket.subprotocol == "foxglove.sdk.v1"
        info = json.loads(await socket.recv())
        assert info["op"] == "serverInfo" and info["name"].startswith("xpuck "), info
        channels = json.loads(await socket.recv())["channels"]
        by_id = {channel["id"]: channel for channel in channels}
        for channel in channels:
            assert (channel["encoding"], channel["schemaEncoding"]) == ("json", "jsonschema"), channel
            assert json.loads(channel["schema"])["title"] == channel["schemaName"], channel["topic"]
        asked = [{"id": 100 + id, "channelId": id} for id in by_id]
        await socket.send(json.dumps({"op": "subscribe", "subscriptions": asked}))
        counts, places, entities = {}, {}, set()
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            try:
                data = await asyncio.wait_for(socket.recv(), left)
            except asyncio.TimeoutError:
                break
            assert isinstance(data, bytes), data
            opcode, subscription, stamp = struct.unpack_from("<BIQ", data)
            channel = by_id[subscription - 100]
            message = json.loads(data[13:])
            assert opcode == 1 and stamp > 1.6e18, (opcode, stamp)
            check(channel["schemaName"], message)
            counts[channel["topic"]] = counts.get(channel["topic"], 0) + 1
            for transform in message.get("transforms", []):
                places[transform["child_frame_id"]] = [transform["translation"][axis] for axis in "xyz"]
            entities |= {entity["id"] for entity in message.get("entities", [])}
        schemas = {channel["topic"]: channel["schemaName"] for channel in channels}
        print(json.dumps({"schemas": schemas, "counts": counts, "places": places, "entities": sorted(entities)}))


if __name__ == "__main__":
    asyncio.run(look(sys.argv[1], float(sys.argv[2])))
