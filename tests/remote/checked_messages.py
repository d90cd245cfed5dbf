"""Checks every message that a server of examples/remote/python gets and sends against the schema."""

import json

import plugin_server
import schema

#: The names of the schemas that messages had.
seen = set()


def check(message, name):
    problem = schema.wrong(json.loads(json.dumps(message)), name)
    assert problem is None, problem
    seen.add(name)


def install():
    """Looks at all messages from now on."""
    read, answer, posted = plugin_server.read_frame, plugin_server.answer, plugin_server.Posts.answer
    described = plugin_server.description

    def read_frame(stream):
        body, data = read(stream)
        check(body, f"stream/{body['call']}")
        return body, data

    def checked_answer(plugin, point, body, states):
        said = answer(plugin, point, body, states)
        check(said, f"answer/{point}")
        return said

    def checked_post(self, point, body):
        check(body, f"http/{point}")
        return posted(self, point, body)

    def checked_description(plugin):
        said = described(plugin)
        check(said, "answer/describe")
        return said

    plugin_server.read_frame, plugin_server.answer = read_frame, checked_answer
    plugin_server.Posts.answer, plugin_server.description = checked_post, checked_description
