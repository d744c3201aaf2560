import { Failure } from '../../domain/failure/failure.ts';
import { readPart } from '../../formats/shared/request/form-part.ts';
import type { FoundNames } from '../../formats/shared/request/governed-names.ts';
import { NamedObjects } from '../../formats/text/shared/named-objects.ts';
import { ruleModelOf } from '../../formats/wire.ts';
import { objectNotFound } from '../directory/object-memory.ts';
import type { Target } from '../directory/target.ts';

type SharedTarget = Pick<Target, 'governed' | 'upstreamModel' | 'ruleModel'>;

/**
 * Returns why a body may not be sent over a shared channel; `null` if it may. Members by which a provider chooses a more expensive host or
 * another model are refused there, because the gateway has no price for them. An account's own channel accepts them.
 */
export function refusalOnSharedChannel(
  target: SharedTarget,
  body: Readonly<Record<string, unknown>>,
  names: FoundNames,
): Failure | null {
  const { governed } = target;
  if (governed === null) return null;
  const misnamed = governed.misnamed(body, names);
  if (misnamed !== null) {
    const { path, own } = misnamed;
    return refusal(path, own === null ? 'it appears twice in its object.' : `it is another spelling of \`${own}\`.`);
  }
  const [found] = governed.find(body, null, ruleModelOf(target));
  return found === undefined ? null : refusal(found.path, `the gateway has no price for it. ${found.rule.why}`);
}

/**
 * Does the same for the text parts of a form that are forwarded unchanged. An upstream may read a part as a text, as JSON, or, by the
 * brackets in its name, as a member of an object, so each part is checked in all these readings.
 */
export function refusalOfParts(
  target: SharedTarget,
  parts: Iterable<readonly [name: string, values: readonly string[]]>,
): Failure | null {
  if (target.governed === null) return null;
  for (const [name, values] of parts) {
    for (const value of values) {
      const readings = readPart(name, value);
      if (readings instanceof Failure) return readings;
      for (const { body, names } of readings) {
        const found = refusalOnSharedChannel(target, body, names);
        if (found !== null) return found;
      }
    }
  }
  return null;
}

/**
 * Returns the failure for unread members of a body that name a file at the provider of a shared channel; `null` if none does. Non-text
 * operations never give an account a file, so the file belongs to another account.
 */
export function foreignFile({ isPrivate }: Pick<Target, 'isPrivate'>, body: Readonly<Record<string, unknown>>) {
  if (isPrivate) return null;
  const objects = new NamedObjects();
  objects.id(body.file_id, 'file_id');
  for (const name in body) if (typeof body[name] === 'object') objects.content(body[name], name);
  const [file] = objects.found;
  return file === undefined ? null : objectNotFound(file);
}

function refusal(param: string, because: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${param}\` cannot be sent over a shared channel: ${because}`,
    param,
    kind: 'loss_refused',
    hint: 'Leave it out, or use a PRIVATE channel of your own, whose provider bills you directly.',
  });
}

/**
 * Returns why a provider's own option may not be sent over a shared channel; `null` if it may. An option that is not known to be harmless
 * may cost more than is charged for it, or reach the operator's own objects.
 */
export function unknownOption(
  { isPrivate }: Pick<Target, 'isPrivate'>,
  options: Readonly<Record<string, unknown>>,
  harmless: readonly string[],
): Failure | null {
  if (isPrivate) return null;
  const name = Object.keys(options).find((option) => !harmless.includes(option));
  if (name === undefined) return null;
  const known = harmless.length === 0 ? '' : ` Allowed: ${harmless.map((option) => `\`${option}\``).join(', ')}.`;
  return refusal(
    `provider_options.${name}`,
    `its cost, or the owner of the objects that it names, is unknown.${known}`,
  );
}
