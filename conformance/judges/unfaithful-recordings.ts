/** Recordings that the service of their folder would not send, so that they prove nothing about its document. */
export const UNFAITHFUL_RECORDINGS: ReadonlyMap<string, string> = new Map([
  [
    'anthropic/messages/020-web-search-with-dynamic-filtering-succeeds.json',
    'the recorder gave server tool calls an id in the form of a client tool call',
  ],
  [
    'anthropic/messages/038-streamed-web-search-preserves-server-tool-blocks.json',
    'the recorder gave server tool calls an id in the form of a client tool call',
  ],
  [
    'gemini/generateContent/122-testgoogleaigeneratecontentwithsystemmessage.json',
    'the client asked for enums as numbers',
  ],
  ['gemini/generateContent/123-testgoogleaitoolcallresponse.json', 'the client asked for enums as numbers'],
  ['gemini/generateContent/124-testgoogleaitoolcallresponse.json', 'the client asked for enums as numbers'],
  ['gemini/generateContent/125-testgoogleaiwithjsonmode.json', 'the client asked for enums as numbers'],
  ['openai/chat/166-chat-completion-image-input.json', 'a preview model of 2023, before the present format'],
  ['openai/chat/188-azure-model-router-1.json', "Azure's stream, whose first chunk has the filter's results only"],
  ['openai/responses/007-reasoning-content-tool-roundtrip.json', 'the answer of another server (llama.cpp)'],
  ['openai/responses/023-responses-api-accepts-null-metadata.json', 'the answer of another server (vLLM)'],
  [
    'openai/responses/148-openai-responses-records-code-interpreter-calls-with-outputs.json',
    'written by hand for a test suite',
  ],
  ['openai/responses/149-openai-responses-records-computer-use-calls.json', 'written by hand for a test suite'],
  ['openai/responses/150-openai-responses-records-file-search-calls.json', 'written by hand for a test suite'],
  ['openai/responses/151-openai-responses-records-image-generation-call.json', 'written by hand for a test suite'],
  ['openai/responses/152-openai-responses-records-local-shell-calls.json', 'written by hand for a test suite'],
  ['openai/responses/153-openai-responses-records-mcp-calls.json', 'written by hand for a test suite'],
  ['openai/responses/154-openai-streaming-responses-adds-genai-conventions.json', 'written by hand for a test suite'],
  ['openai/responses/215-structured-max-tokens-exceeded-1.json', 'written by hand for a test suite'],
  ['openai/responses/214-audio-from-base64-1.json', 'a transcription'],
]);

/**
 * Streams whose events are each valid, but which the service of their folder no longer sends in this form.
 */
export const UNFAITHFUL_STREAMS: ReadonlyMap<string, string> = new Map([
  ['anthropic/messages/039-gateway-message-delta-metadata.json', 'another gateway adds an event of its own'],
  [
    'anthropic/messages/203-anthropic-programmatic-tool-calling-1.json',
    'the streams of several turns, one after another',
  ],
  ['openai/chat/188-azure-model-router-1.json', "Azure's first chunk has no id"],
  ['openai/responses/094-responses-stream.json', 'of March 2025, before there were sequence numbers'],
  ['openai/responses/159-response-function-call-streamed.json', 'of March 2025, before there were sequence numbers'],
  ['openai/responses/160-response-tools-stream.json', 'of March 2025, before there were sequence numbers'],
  ['openai/responses/165-test-simple-agent-streamed.json', 'of March 2025, before there were sequence numbers'],
  ['openai/responses/179-github-copilot-id-rotation-1.json', 'GitHub Copilot gives an item another id in each event'],
  ['openai/responses/187-openai-custom-tool-1.json', 'events are missing'],
  ['openai/responses/201-openai-shell-container-1.json', 'a text was shortened in one place only'],
  ['openai/responses/209-parallel-tool-call-wrapper-1.json', 'cut off in its middle'],
  ['gemini/generateContent/206-stream-basic-text-1.json', 'the empty lines between its events are missing'],
]);
