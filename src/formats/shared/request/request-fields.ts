import type { ModelCategory } from '../../../domain/catalog/category.ts';
import { Failure } from '../../../domain/failure/failure.ts';

/* Shared by the parsers that read a request's body field by field. */

export const LONGEST_MODEL = 256;

/** Returns the id in the field `model`. `category` is the endpoint's kind of models, for the error message. */
export function modelOf(model: unknown, category: ModelCategory): string | Failure {
  if (model === undefined || model === null) {
    return missingField('model', `a model id from \`GET /v1/models?category=${category}\``);
  }
  if (typeof model !== 'string') return wrongField('invalid_type', 'model', 'must be a model id as a string');
  if (model !== '' && model.length <= LONGEST_MODEL) return model;
  return wrongField('invalid_value', 'model', `must be a model id of 1 to ${LONGEST_MODEL} characters`);
}

/** Returns the failure for a missing field; `what` describes the expected value. */
export function missingField(param: string, what: string): Failure {
  return new Failure('missing_required_parameter', { message: `\`${param}\` is missing: ${what}.`, param });
}

/** Returns the failure for an invalid field; `rule` completes the sentence after the field's name: `must be a string`. */
export function wrongField(code: 'invalid_type' | 'invalid_value', param: string, rule: string): Failure {
  return new Failure(code, { message: `\`${param}\` ${rule}.`, param });
}
