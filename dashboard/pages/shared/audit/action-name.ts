import type { AuditEntry } from '../../../api/schema.ts';
import type { auditText } from '../../../text/audit.ts';

type Words = (typeof auditText)['en'];

/** Returns the name of an action in the reader's language; the action's code if it has none. */
export function actionName({ action }: Pick<AuditEntry, 'action'>, { actions }: Words): string {
  return Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : action;
}
