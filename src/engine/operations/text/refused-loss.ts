import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';

/** Returns the failure for a field that a target, such as `the model \`m\``, does not support and whose loss would change the request. */
export function refusedLoss({ field, why }: Loss, target: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${field}\` cannot be carried to ${target}: ${why.replace(/\.$/, '')}.`,
    param: field,
    kind: 'loss_refused',
    hint: 'Leave it out, or use a model that accepts it.',
  });
}
