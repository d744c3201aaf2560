import type { Model } from '../../../domain/catalog/model.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { TextTarget } from '../../directory/target.ts';
import { Memories } from '../../operations/text/past.ts';
import { RelayLane } from '../../operations/text/relay-lane.ts';
import { PreparedLane, type TextLane } from '../../operations/text/text-lane.ts';
import { Translation, type TranslationPorts } from '../../operations/text/translation.ts';
import { sampleAccount, sampleCredential } from '../../ports/testing/samples.ts';
import { type BufferedBytes, ResponseMemory } from '../response-memory.ts';
import { FakeConversationState } from './fake-conversation-state.ts';
import { type Body, formatOf, inbound, parsed } from './sample-requests.ts';
import { directoryOf, MODEL } from './sample-routes.ts';

/** The request and its client. */
export interface Asked {
  readonly format?: string;
  readonly fields?: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the translations of one request for any targets. */
export function translationOf(ports: TranslationPorts, { format = 'openai-chat', fields = {}, headers = {} }: Asked) {
  const request = parsed(format, fields);
  const memory = new Memories(new FakeConversationState());
  const client = inbound({}, { headers });
  const bodyBytes = request.bytes.length;
  const common = { accountId: 'acme', client, whenOver: () => {} };
  return new Translation(ports, memory, { format: formatOf(format), parsed: request, bodyBytes, ...common });
}

/** Makes the lane to a target: relayed if both use the same format, else translated. */
export function textLaneTo(ports: TranslationPorts, target: TextTarget, asked: Asked = {}): TextLane {
  const { format = 'openai-chat', fields = {}, headers = {} } = asked;
  const translated = () => translationOf(ports, asked).lane(target, target.routing);
  if (target.wire.name !== format) return translated();
  const client = inbound({}, { headers });
  const translating = { translatedLane: translated };
  return new RelayLane(formatOf(format), parsed(format, fields), target, client, target.routing, translating, ports);
}

/** Makes the same lane in the form that an attempt takes. */
export function laneTo(ports: TranslationPorts, target: TextTarget, asked: Asked = {}): PreparedLane {
  const { format = 'openai-chat', fields = {} } = asked;
  const { body } = parsed(format, fields);
  const isRelayed = target.wire.name === format;
  return new PreparedLane(textLaneTo(ports, target, asked), target, isRelayed, sampleExtras(body, format));
}

function sampleExtras(body: Body, clientFormat: string) {
  const directory = directoryOf([]);
  const principal = { account: sampleAccount(), credential: sampleCredential() };
  const ways = { prices: null, model: { id: MODEL } as Model };
  return { principal, directory, ways, clientFormat, body };
}

interface Writing<Request> {
  request(): Request | Failure | Promise<Request | Failure>;
}

/** Resolves to the request that a lane makes. A lane that refuses is an error in the test. */
export async function preparedBy<Request>(lane: Writing<Request>): Promise<Request> {
  const prepared = await lane.request();
  if (prepared instanceof Failure) throw new Error(prepared.message);
  return prepared;
}

/** Makes an answer memory with this number of bytes for one account. */
export function bufferedOf(bytes: number): BufferedBytes {
  return new ResponseMemory({ maxHeldBytes: bytes * 2 }).open('acme', () => {});
}
