import { expect, test } from 'bun:test';
import type { SpeechRequest } from '../src/domain/audio/speech.ts';
import { Failure } from '../src/domain/failure/failure.ts';
import { speechWires } from '../src/formats/index.ts';
import { parseRequest } from '../src/formats/speech/openai-speech/request.ts';
import type { WireTarget } from '../src/formats/wire.ts';
import { providers } from '../src/providers/index.ts';
import { asObject, parseJson } from './shared/json.ts';

function targetOf(provider: string, upstreamModel: string) {
  const provided = providers.get(provider)?.wires?.find(({ wire }) => speechWires.has(wire));
  const wire = speechWires.get(provided?.wire ?? '');
  if (provided === undefined || wire === undefined) throw new Error(`${provider} has no speech`);
  const target: WireTarget = { upstreamModel, ...(provided.speech && { speech: provided.speech }) };
  return { wire, target };
}

function spoken(body: object): SpeechRequest {
  const parsed = parseRequest(new TextEncoder().encode(JSON.stringify({ model: 'm', input: 'a', ...body })));
  if (parsed instanceof Failure) throw new Error(parsed.message);
  return parsed.request;
}

test('each provider’s models map OpenAI’s voices to an existing voice, and keep their own', () => {
  const voiceOf = (provider: string, model: string, voice: string) => {
    const { wire, target } = targetOf(provider, model);
    const encoded = wire.encodeRequest(spoken({ voice, response_format: 'wav' }), target);
    if (encoded instanceof Failure || !(encoded.body instanceof Uint8Array))
      throw new Error('the request was not encoded');
    const losses = encoded.losses.map(({ verdict }) => verdict);
    return [asObject(parseJson(new TextDecoder().decode(encoded.body))).voice, losses];
  };
  expect(voiceOf('openai', 'tts-1', 'marin')).toEqual(['nova', ['approximated']]);
  expect(voiceOf('openai', 'tts-1', 'nova')).toEqual(['nova', []]);
  expect(voiceOf('openai', 'gpt-4o-mini-tts', 'marin')).toEqual(['marin', []]);
  expect(voiceOf('azure-openai', 'my-deployment', 'marin')).toEqual(['marin', []]);
  expect(voiceOf('together', 'hexgrad/Kokoro-82M', 'marin')).toEqual(['af_heart', ['approximated']]);
  expect(voiceOf('groq', 'canopylabs/orpheus-arabic-saudi', 'onyx')).toEqual(['abdullah', ['approximated']]);
});
