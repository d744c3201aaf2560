import type { MatrixCase } from '../matrix/cases.ts';
import type { Form } from '../matrix/sdks/index.ts';
import type { ClientFormat } from '../readers/index.ts';
import { type Made, madeId } from './made-recordings.ts';
import { type Answers, FORMATS, FORMS, LANES, type Lane } from './upstreams.ts';

/** The place of the failing upstream, which decides the channel that reaches it. */
export type FaultPlace =
  | 'replay'
  | 'silent'
  | 'mid'
  | 'silent-mid'
  | 'refused'
  | 'unresolved'
  | 'plain-port'
  | 'self-signed';

export interface Fault {
  readonly name: string;
  readonly place: FaultPlace;
  readonly forms: readonly Form[];
  /** Returns the model id for the replay server, without the case's own prefix. */
  readonly model: (answers: Answers, format: ClientFormat, form: Form, index: number) => string;
  /** The kinds that the request log and the metrics may name. */
  readonly kinds: readonly string[];
  /** Whether the failure comes after the beginning of a stream, so that the client must get an error frame. */
  readonly isInStream: (form: Form) => boolean;
}

const never = () => false;
const recorded: Fault['model'] = (answers, ...which) => answers.of(...which).recording.id;

function replayed(name: string, ...kinds: readonly string[]): Fault {
  const model: Fault['model'] = (...which) => `fault.${name}.${recorded(...which)}`;
  return { name, place: 'replay', forms: FORMS, model, kinds, isInStream: never };
}

function inTheMiddle(name: string, ...kinds: readonly string[]): Fault {
  const model: Fault['model'] = (answers, ...which) => `fault.${name}.${answers.talkative(...which).recording.id}`;
  return { ...replayed(name, ...kinds), model, place: 'mid', isInStream: (form) => form === 'stream' };
}

function elsewhere(place: FaultPlace, name: string, kind: string): Fault {
  return { name, place, forms: FORMS, model: recorded, kinds: [kind], isInStream: never };
}

function made(name: Made, form: Form, ...kinds: readonly string[]): Fault {
  const model: Fault['model'] = (_answers, format) => madeId(format, name);
  return { name, place: 'replay', forms: [form], model, kinds, isInStream: never };
}

/** An error without its own status, or with the status that the provider assigns to its type. */
const ERROR_IN_200 = ['error_in_200', 'http_500', 'http_503', 'http_529'];

/** A 200 whose body is not a response of the format. */
const NO_ANSWER = ['garbage', 'error_in_200', 'empty_answer', 'empty_stream', 'truncated_stream'];

/** Faults of the provider itself; faults of a channel's key or account have their own tests. */
export const FAULTS: readonly Fault[] = [
  replayed('status-429', 'rate_limit_exceeded'),
  replayed('status-500', 'http_500'),
  replayed('status-503', 'http_503'),
  replayed('status-529', 'http_529'),
  replayed('reset', 'reset'),
  { ...replayed('hang', 'first_byte_timeout'), place: 'silent' },
  // Longer than the process can pause, so that the response and the timeout never fall due together.
  { ...replayed('slow-60000', 'first_byte_timeout'), place: 'silent' },
  replayed('garbage', 'garbage'),
  inTheMiddle('reset-mid', 'reset', 'truncated_stream'),
  { ...inTheMiddle('hang-mid', 'idle_timeout'), place: 'silent-mid' },
  made('error-first', 'stream', ...ERROR_IN_200),
  made('error-whole', 'whole', ...ERROR_IN_200),
  { ...made('error-mid', 'stream', ...ERROR_IN_200), place: 'mid', isInStream: () => true },
  made('empty-stream', 'stream', 'empty_stream'),
  made('empty-whole', 'whole', 'garbage', 'empty_answer'),
  made('nothing-whole', 'whole', ...NO_ANSWER),
  made('detail-whole', 'whole', ...NO_ANSWER),
  made('list-whole', 'whole', ...NO_ANSWER),
  made('page-whole', 'whole', ...NO_ANSWER),
  made('comments-stream', 'stream', ...NO_ANSWER),
  made('detail-stream', 'stream', ...NO_ANSWER),
  elsewhere('refused', 'refused', 'connect_refused'),
  elsewhere('unresolved', 'unresolved', 'dns'),
  elsewhere('plain-port', 'TLS at a plain port', 'tls_handshake'),
  elsewhere('self-signed', 'self-signed certificate', 'tls_certificate_self_signed'),
];

/** One client's model with two channels; the first one fails. */
export interface FaultCase {
  readonly fault: Fault;
  readonly client: ClientFormat;
  readonly lane: Lane;
  readonly form: Form;
  /** Selects the recordings, and distinguishes this case's upstream models from all others. */
  readonly index: number;
  readonly publicId: string;
  readonly badChannel: string;
  readonly badModel: string;
  readonly goodChannel: string;
  readonly goodModel: string;
  /** The healthy channel's response. */
  readonly good: MatrixCase;
}

/**
 * Returns each fault for each client, whole and streamed, in both lanes or in alternating lanes. Health is per upstream model, so every case has
 * its own.
 */
export function faultCases(answers: Answers, lanes: 'both' | 'alternating'): readonly FaultCase[] {
  const cases: FaultCase[] = [];
  for (const [number, fault] of FAULTS.entries()) {
    for (const client of FORMATS) {
      for (const [at, form] of fault.forms.entries()) {
        const all = LANES[client];
        const chosen = lanes === 'both' ? all : [all[(number + at) % 2 === 0 ? 0 : 1]];
        for (const lane of chosen) cases.push(caseOf(answers, fault, client, lane, form, cases.length));
      }
    }
  }
  return cases;
}

function caseOf(
  answers: Answers,
  fault: Fault,
  client: ClientFormat,
  lane: Lane,
  form: Form,
  index: number,
): FaultCase {
  const prefix = `case-${index}.`;
  const good = answers.of(lane.good, form, index);
  return {
    ...{ fault, client, lane, form, index, good },
    publicId: `public-${index}`,
    badChannel: badChannelId(fault.place, lane.bad),
    badModel: prefix + fault.model(answers, lane.bad, form, index),
    goodChannel: goodChannelId(lane.good),
    goodModel: prefix + good.recording.id,
  };
}

export function badChannelId(place: FaultPlace, format: ClientFormat): string {
  return `${place}--${format}`;
}

export function goodChannelId(format: ClientFormat): string {
  return `good--${format}`;
}
