import { MemoryFile } from '../../../domain/media/memory-file.ts';
import { localFailure } from '../../shared/local-answer.ts';

const SENTENCES = [
  'This is a synthetic transcript.',
  'Nobody listened to the recording.',
  'The gateway made up these words.',
  'Every word has its own timestamp.',
];
/** The length of one sentence. */
const SENTENCE_SECONDS = 4;
/** The bytes per second that are assumed for a recording of unknown length. */
const BYTES_PER_SECOND = 16_000;
const MOST_SENTENCES = 10_000;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns an answer like OpenAI's to a form with a recording: sentences that fill its whole length, as JSON or as a stream. */
export async function transcript(request: Request, task: 'transcribe' | 'translate'): Promise<Response> {
  const form = await request.formData().catch(() => null);
  const file = form?.get('file');
  if (form === null || !(file instanceof File)) {
    return localFailure(400, 'The form has no file.', { param: 'file' });
  }
  const seconds = secondsOf(await file.bytes());
  const text = (name: string) => form.getAll(name).filter((value) => typeof value === 'string');
  const format = text('response_format')[0] ?? 'json';
  const sentences = spoken(seconds);
  const whole = sentences.map((sentence) => sentence.text).join(' ');
  const usage = { type: 'duration', seconds: Math.ceil(seconds) };
  if (text('stream')[0] === 'true')
    return stream(
      sentences.map((sentence) => sentence.text),
      whole,
      usage,
    );
  if (format === 'json') return Response.json({ text: whole, usage });
  const common = { task, duration: seconds, text: whole };
  if (format === 'diarized_json') {
    const segments = sentences.map((sentence, index) => ({
      type: 'transcript.text.segment',
      id: `seg_${index}`,
      ...sentence,
      speaker: index % 2 === 0 ? 'A' : 'B',
    }));
    return Response.json({ ...common, segments, usage });
  }
  if (format !== 'verbose_json') return localFailure(400, 'Unknown response_format.', { param: 'response_format' });
  const granularities = text('timestamp_granularities[]');
  return Response.json({
    ...{ ...common, language: 'english' },
    ...(!(granularities.length > 0 && !granularities.includes('segment')) && { segments: sentences.map(segment) }),
    ...(granularities.includes('word') && { words: sentences.flatMap(words) }),
    usage,
  });
}

/** Returns the length from a WAV header, which is enough for trying the gateway. */
function secondsOf(bytes: Uint8Array<ArrayBuffer>): number {
  const { head, size } = new MemoryFile(bytes);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const isWave = head.length > 32 && view.getUint32(0) === RIFF && view.getUint32(8) === WAVE;
  const rate = isWave ? view.getUint32(28, true) : BYTES_PER_SECOND;
  return Math.round((size / Math.max(rate, 1)) * 1_000) / 1_000;
}

const RIFF = 0x52494646;
const WAVE = 0x57415645;

function spoken(seconds: number): readonly (Span & { readonly text: string })[] {
  const count = Math.min(MOST_SENTENCES, Math.max(1, Math.ceil(seconds / SENTENCE_SECONDS)));
  return Array.from({ length: count }, (_, index) => ({
    start: index * SENTENCE_SECONDS,
    end: index === count - 1 ? Math.max(seconds, index * SENTENCE_SECONDS) : (index + 1) * SENTENCE_SECONDS,
    text: SENTENCES[index % SENTENCES.length] ?? '',
  }));
}

function segment({ start, end, text }: Span & { readonly text: string }, id: number) {
  const unknown = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 };
  return { id, start, end, text, ...unknown };
}

function words({ start, end, text }: Span & { readonly text: string }) {
  const parts = text.replace('.', '').split(' ');
  const each = (end - start) / parts.length;
  return parts.map((word, index) => ({ word, start: start + index * each, end: start + (index + 1) * each }));
}

function stream(sentences: readonly string[], text: string, usage: object): Response {
  const deltas = sentences.map((sentence, index) => ({
    type: 'transcript.text.delta',
    delta: index === 0 ? sentence : ` ${sentence}`,
  }));
  const events = [...deltas, { type: 'transcript.text.done', text, usage }];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}
