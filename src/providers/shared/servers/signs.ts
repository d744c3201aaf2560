import { isRecord } from '../../../formats/shared/json/record.ts';
import type { ServerSign } from './server-family.ts';

/** Returns a sign: the list of models names the server as the owner of the first one. */
export function ownerOfModels(owner: string): ServerSign {
  return {
    path: 'models',
    isIn: (answer) => {
      const list = isRecord(answer) && Array.isArray(answer.data) ? answer.data : [];
      const [first] = list;
      return isRecord(first) && first.owned_by === owner;
    },
  };
}

/** Returns a sign: an object with all of these members. */
export function objectAt(path: `/${string}`, ...members: readonly string[]): ServerSign {
  return {
    path,
    isIn: (answer) => isRecord(answer) && members.every((member) => Object.hasOwn(answer, member)),
  };
}
