import type { DocumentOperation, OpenApi } from '../../conformance/openapi/document.ts';
import { asArray, asObject, isObject } from '../../conformance/shared/json.ts';
import { ACCOUNT, type Bed } from './bed.ts';
import type { Schemas } from './schemas.ts';

const COPIES = 12;
const MOST_TRIES = 8;

/** Creates objects of the largest size that the management API accepts, so that reads have to return large answers. */
export class Objects {
  private readonly ids = new Map<string, readonly string[]>();

  constructor(
    private readonly bed: Bed,
    private readonly api: OpenApi,
    private readonly schemas: Schemas,
  ) {}

  /** Creates several objects of each kind that has an example in the document. Resolves to the paths that succeeded. */
  async fill(): Promise<readonly string[]> {
    const made: string[] = [];
    for (const operation of this.api.operations) {
      const [example] = Object.values(operation.examples);
      if (!isManaged(operation) || operation.method !== 'post' || !isObject(example)) continue;
      if (operation.path.includes('{') || !this.listsOf(operation)) continue;
      const refused = new Set<string>();
      for (let at = 0; at < COPIES; at++) {
        if (await this.make(operation, example, at, refused)) made.push(operation.path);
      }
    }
    return made;
  }

  /**
   * Sends the example with every member as large as its schema allows. A member that the response rejects gets its usual value back;
   * `refused` has those of the copies before.
   */
  private async make(
    operation: DocumentOperation,
    example: object,
    at: number,
    refused: Set<string>,
  ): Promise<boolean> {
    const schema = this.schemas.bodyOf(operation.node);
    const body = asObject(this.schemas.largest(schema, example, at));
    const changed: Record<string, unknown> = { ...body };
    for (const name of refused) changed[name] = asObject(example)[name];
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const line = `POST ${operation.path.replace('/v1/management', '')}${queryOf(operation)}`;
      const { status, json } = await this.bed.operator.ask(line, changed);
      if (status < 300) return true;
      const [wrong = ''] = String(asObject(json.error).param).split(/[.[]/);
      if (!(wrong in changed)) return false;
      const usual = asObject(example)[wrong];
      if (changed[wrong] !== usual) {
        changed[wrong] = usual;
        refused.add(wrong);
      } else if (wrong === 'id' || wrong === 'email' || wrong === 'name') changed[wrong] = `${at}-${usual}`;
      else delete changed[wrong];
    }
    return false;
  }

  private listsOf({ path }: DocumentOperation): boolean {
    return this.api.operations.some((one) => one.path === path && one.method === 'get');
  }

  /** Resolves to the id of an object in the list at this path that the run does not need, or `null`. */
  async idIn(path: string): Promise<string | null> {
    const known = this.ids.get(path) ?? (await this.read(path));
    this.ids.set(path, known);
    return known[0] ?? null;
  }

  /** Drops the cached lists: an object may have been deleted. */
  forget(): void {
    this.ids.clear();
  }

  private async read(path: string): Promise<readonly string[]> {
    const list = this.api.operations.find((one) => one.path === path && one.method === 'get');
    if (list === undefined) return [];
    const { json } = await this.bed.operator.ask(`GET ${path.replace('/v1/management', '')}${queryOf(list)}`);
    const ids = asArray(json.data ?? []).map((one) => asObject(one).id ?? asObject(asObject(one).user).id);
    return ids.filter((id) => typeof id === 'string').filter((id) => !isNeeded(id));
  }
}

/** Whether the run itself depends on the object. */
function isNeeded(id: string): boolean {
  return [ACCOUNT, 'fuzz', 'few', 'sandbox'].includes(id) || id.startsWith('own-') || id.startsWith('user_');
}

export function isManaged({ tag }: DocumentOperation): boolean {
  return tag.startsWith('Management') && tag !== 'Management: Sign-in';
}

/** Returns the query that names the account, if it is required. */
export function queryOf({ node }: DocumentOperation): string {
  const names = asArray(node.parameters ?? []).map((parameter) => asObject(parameter).name);
  return names.includes('account_id') ? `?account_id=${ACCOUNT}` : '';
}
