import { FEEDBACK_TYPES, type FeedbackType, MOST_DESCRIPTION } from '../../domain/cache/cache-feedback.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { parseBody } from '../../formats/shared/request/body.ts';
import { charactersIn } from '../../formats/shared/request/characters.ts';
import { GovernedNames } from '../../formats/shared/request/governed-names.ts';
import { missingField, wrongField } from '../../formats/shared/request/request-fields.ts';

/** Each name may occur once, in the correct spelling. Other members are ignored. */
const NAMES = new GovernedNames({ cache_entry_id: true, feedback_type: true, description: true });

/** A client's report about a cached answer. */
export interface FeedbackRequest {
  readonly entryId: string;
  readonly type: FeedbackType;
  /** Empty without a description. */
  readonly description: string;
}

/** Reads and checks the body of `POST /v1/cache/feedback` (contract, Cache). */
export function parseFeedback(bytes: Uint8Array): FeedbackRequest | Failure {
  const parsed = parseBody(bytes, '`cache_entry_id` and `feedback_type`', NAMES);
  if (parsed instanceof Failure) return parsed;
  const { cache_entry_id: entryId, feedback_type: named, description: said } = parsed.body;
  if (entryId === undefined || entryId === null) {
    return missingField('cache_entry_id', 'the id from the response header `x-cache-entry-id`');
  }
  if (typeof entryId !== 'string') return wrongField('invalid_type', 'cache_entry_id', 'must be a string');
  const type = typeOf(named);
  if (type instanceof Failure) return type;
  const description = descriptionOf(said);
  return description instanceof Failure ? description : { entryId, type, description };
}

function typeOf(named: unknown): FeedbackType | Failure {
  const words = FEEDBACK_TYPES.map((word) => `\`${word}\``).join(', ');
  if (named === undefined || named === null) return missingField('feedback_type', `one of ${words}`);
  if (typeof named !== 'string') return wrongField('invalid_type', 'feedback_type', `must be one of ${words}`);
  const type = FEEDBACK_TYPES.find((word) => word === named);
  return type ?? wrongField('invalid_value', 'feedback_type', `must be one of ${words}`);
}

function descriptionOf(said: unknown): string | Failure {
  if (said === undefined || said === null) return '';
  if (typeof said !== 'string') return wrongField('invalid_type', 'description', 'must be a string');
  const characters = charactersIn(said, MOST_DESCRIPTION);
  // An unpaired surrogate cannot be stored as UTF-8.
  if (characters <= MOST_DESCRIPTION) return said.toWellFormed();
  return new Failure('payload_too_large', {
    message: `\`description\` has ${characters} characters; the limit is ${MOST_DESCRIPTION}.`,
    param: 'description',
    hint: 'Shorten the description.',
  });
}
