import { asArray, asObject } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import { bodyOf } from '../shared/members.ts';
import { BEFORE_GPT_5, issue } from './families.ts';

/** `example` is a custom tool in the wire's form. */
export function customTools(example: object): Rule {
  return {
    id: 'custom-tools',
    statement: 'Tools of the type `custom` are refused.',
    family: BEFORE_GPT_5,
    source: issue('openclaw/openclaw/issues/99856', '2026-11-29'),
    refuses: (request) =>
      asArray(bodyOf(request).tools).some((tool) => asObject(tool).type === 'custom')
        ? "Invalid value: 'custom'"
        : null,
    examples: { refused: [{ body: { tools: [example] } }] },
  };
}
