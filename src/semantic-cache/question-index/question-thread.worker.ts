import { parentPort, workerData } from 'node:worker_threads';
import type { NearQuestion } from '../../engine/ports/question-index.ts';
import { type AddedQuestions, PartitionedQuestions } from './partitioned-questions.ts';

/** The data with which the worker starts. */
export interface QuestionThreadData {
  readonly mostBytes: number;
  /** Two 64-bit floats that the worker updates: the number of questions, and their size in bytes. */
  readonly numbers: SharedArrayBuffer;
}

export type QuestionMessage =
  | {
      readonly kind: 'nearest';
      readonly partition: string;
      readonly vector: Float32Array<ArrayBuffer>;
      readonly most: number;
      readonly least: number;
    }
  | ({ readonly kind: 'add' } & AddedQuestions)
  | { readonly kind: 'whole' | 'forget'; readonly partition: string }
  | { readonly kind: 'remove'; readonly keys: readonly string[] }
  | { readonly kind: 'clear' };

/** A message to the worker; one with an `id` is answered. */
export interface QuestionEnvelope {
  readonly id: number | null;
  readonly message: QuestionMessage;
}

/** The answer: for `nearest` the result, or why there was no search; for everything else that it is done. */
export interface QuestionAnswer {
  readonly id: number;
  readonly result: readonly NearQuestion[] | 'unknown' | 'loading' | 'done';
}

// The code that starts this worker provides the data.
const { mostBytes, numbers } = workerData as QuestionThreadData;
const questions = new PartitionedQuestions(mostBytes);
const statistics = new Float64Array(numbers);

parentPort?.on('message', ({ id, message }: QuestionEnvelope) => {
  const result = resultOf(message);
  statistics[0] = questions.count;
  statistics[1] = questions.bytes;
  if (id !== null) parentPort?.postMessage({ id, result } satisfies QuestionAnswer);
});

function resultOf(message: QuestionMessage): QuestionAnswer['result'] {
  switch (message.kind) {
    case 'nearest':
      return questions.nearest(message.partition, message.vector, message);
    case 'add':
      questions.add(message);
      break;
    case 'whole':
      questions.whole(message.partition);
      break;
    case 'forget':
      questions.forget(message.partition);
      break;
    case 'remove':
      questions.remove(message.keys);
      break;
    case 'clear':
      questions.clear();
  }
  return 'done';
}
