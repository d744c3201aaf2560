"""An agent on pydantic-ai: three tools, streamed, with the conversation kept in a file."""

import asyncio
import os
import pathlib
import subprocess

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter

ORIGIN = os.environ["CLIENT_ORIGIN"]
KEY = os.environ["CLIENT_KEY"]
MODEL = os.environ["CLIENT_MODEL"]
STATE = pathlib.Path(os.environ["CLIENT_STATE"])


def model_of(format_name):
    if format_name == "anthropic-messages":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        return AnthropicModel(MODEL, provider=AnthropicProvider(api_key=KEY, base_url=ORIGIN))
    if format_name == "gemini":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(MODEL, provider=GoogleProvider(api_key=KEY, base_url=ORIGIN))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(api_key=KEY, base_url=f"{ORIGIN}/v1")
    kind = OpenAIResponsesModel if format_name == "openai-responses" else OpenAIChatModel
    return kind(MODEL, provider=provider)


agent = Agent(model_of(os.environ["CLIENT_FORMAT"]))


@agent.tool_plain
def read_file(path: str) -> str:
    """Read a file"""
    return pathlib.Path(path).read_text(encoding="utf-8")


@agent.tool_plain
def run_command(command: str) -> str:
    """Run a shell command"""
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout


@agent.tool_plain
def write_file(path: str, content: str) -> str:
    """Write a file"""
    pathlib.Path(path).write_text(content, encoding="utf-8")
    return "written"


async def main():
    before = ModelMessagesTypeAdapter.validate_json(STATE.read_bytes()) if os.environ["CLIENT_RESUMES"] else None
    async with agent.iter(os.environ["CLIENT_PROMPT"], message_history=before) as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as stream:
                    async for _ in stream:
                        pass
    print(run.result.output)
    STATE.write_bytes(run.result.all_messages_json())


asyncio.run(main())
