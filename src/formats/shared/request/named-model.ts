import { appendMember, applyEditsTo, replaceValue } from '../json/json-patch.ts';
import { MemberNames, scanObject } from '../json/json-scan.ts';

const MODEL = new MemberNames('model');

/** The body with this model, whatever it names itself. One that is no JSON object stays as it is: reading it says what is wrong. */
export function withModel(body: Uint8Array, model: string): Uint8Array | Promise<Uint8Array> {
  const object = scanObject(body, 0, MODEL);
  if (object === null) return body;
  const value = JSON.stringify(model);
  const edits = object.members.map((member) => replaceValue(member, value));
  return applyEditsTo(body, edits.length > 0 ? edits : [appendMember(object, `"model":${value}`)]);
}
