import { Failure } from '../../../domain/failure/failure.ts';
import { MemoryConversationState } from '../../../stores/memory/conversation-state.ts';
import type { Target } from '../../directory/target.ts';
import { Memories } from '../../operations/text/past.ts';
import { relayLane } from '../../operations/text/relay-lane.ts';
import { Translation, type TranslationPorts } from '../../operations/text/translation.ts';
import { AnswerMemory, type HeldBytes } from '../answer-memory.ts';
import type { Lane, LaneRequest } from '../lane.ts';
import { type Body, formatOf, inbound, parsed } from './sample-requests.ts';

/** What is asked, and by whom. */
export interface Asked {
  readonly format?: string;
  readonly fields?: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request's translations, for whichever targets. */
export function translationOf(ports: TranslationPorts, { format = 'openai-chat', fields = {}, headers = {} }: Asked) {
  const request = parsed(format, fields);
  const memory = new Memories(new MemoryConversationState());
  const client = inbound({}, { headers });
  const bodyBytes = request.bytes.length;
  const common = { accountId: 'acme', client, whenOver: () => {} };
  return new Translation(ports, memory, { format: formatOf(format), parsed: request, bodyBytes, ...common });
}

/** The lane on which a request goes to a target: relayed where both speak the same format, else translated. */
export function laneTo(ports: TranslationPorts, target: Target, asked: Asked = {}): Lane {
  const { format = 'openai-chat', fields = {}, headers = {} } = asked;
  const translated = () => translationOf(ports, asked).lane(target, target.routing);
  if (target.upstream.name !== format) return translated();
  const client = inbound({}, { headers });
  return relayLane(formatOf(format), parsed(format, fields), target, client, target.routing, translated);
}

export async function preparedBy(lane: Lane): Promise<LaneRequest> {
  const prepared = await lane.request();
  if (prepared instanceof Failure) throw new Error(prepared.message);
  return prepared;
}

/** Memory of which there are so many bytes for one account. */
export function heldOf(bytes: number): HeldBytes {
  return new AnswerMemory({ maxHeldBytes: bytes * 2 }).open('acme', () => {});
}
