import { type Recording, readRecording, recordingRows } from './recordings.ts';

/** A recorded OpenAI chat answer that is not streamed, for scenarios in which its content does not matter. */
export function wholeChatSample(): Recording {
  return firstOpenAiChat((recording) => !recording.stream && recording.responseBody.includes('"finish_reason"'));
}

/** A recorded OpenAI chat stream with enough events to be left, cut or silenced in its middle. */
export function streamedChatSample(): Recording {
  return firstOpenAiChat((recording) => recording.stream && recording.responseBody.split('\n\n').length > 20);
}

function firstOpenAiChat(wanted: (recording: Recording) => boolean): Recording {
  const rows = recordingRows().filter((row) => row.provider === 'openai' && row.api === 'chat' && row.status === 200);
  for (const row of rows) {
    const recording = readRecording(row);
    if (wanted(recording)) return recording;
  }
  throw new Error('there is no such OpenAI chat recording');
}
