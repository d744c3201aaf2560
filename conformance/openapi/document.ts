import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';

type Node = Readonly<Record<string, unknown>>;

const ROOT = 'https://document.test/openapi.json';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export interface DocumentOperation {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  /** Examples of the JSON body, by name. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** Examples of the path's parameters, by name. */
  readonly pathExamples: Readonly<Record<string, string>>;
  readonly node: Node;
}

/** A response as received. */
export interface GivenAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
}

/** The document: its operations, and a check of responses against it. */
export class OpenApi {
  readonly operations: readonly DocumentOperation[];
  // Most validators run once or twice, so making them costs more than running them.
  private readonly ajv = new Ajv({ strict: false, logger: false, inlineRefs: false, code: { optimize: false } });

  constructor(readonly document: Node) {
    // The package's types do not declare the module as callable.
    (addFormats as unknown as (ajv: Ajv) => void)(this.ajv);
    this.ajv.addFormat('binary', true);
    this.ajv.addSchema({ ...(asDraft7(document) as object), $id: ROOT });
    this.operations = Object.entries(asObject(document.paths)).flatMap(([path, methods]) =>
      METHODS.flatMap((method) => {
        const node = asObject(methods)[method];
        return isObject(node) ? [operationOf(method, path, node)] : [];
      }),
    );
  }

  operation(id: string): DocumentOperation {
    const found = this.operations.find((one) => one.id === id);
    if (found === undefined) throw new Error(`there is no operation ${id}`);
    return found;
  }

  /** Returns the violations of the document in a response; empty if there are none. */
  problemsOf({ method, path, node }: DocumentOperation, { status, contentType, text }: GivenAnswer): string[] {
    const own = asObject(node.responses)[String(status)];
    if (!isObject(own)) return [`${status} is not described: ${text.slice(0, 300)}`];
    const { place, response } = this.responseAt(own, ['paths', path, method, 'responses', String(status)]);
    const content = asObject(response.content);
    if (text === '') return [];
    const type = contentType?.split(';')[0] ?? '';
    const described = [type, '*/*'].find((one) => isObject(content[one]));
    if (described === undefined) return [`${status} as ${type} is not described`];
    if (!/^application\/json$|event-stream/.test(described)) return [];
    const validate = this.validatorAt([...place, 'content', described, 'schema']);
    const values = described === 'text/event-stream' ? eventsOf(text) : [parseJson(text)];
    if (values.length === 0) return ['the stream has no events'];
    const wrong = values.flatMap((value) => (validate(value) ? [] : [errorsOf(validate, value)]));
    return [...wrong, ...codeProblems(response, values[0])];
  }

  /** Whether a body is what the document says of it. */
  bodyProblems({ method, path }: DocumentOperation, body: unknown): string[] {
    const place = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'];
    const validate = this.validatorAt(place);
    return validate(body) ? [] : [errorsOf(validate, body)];
  }

  private responseAt(own: Node, place: readonly string[]): { place: readonly string[]; response: Node } {
    if (typeof own.$ref !== 'string') return { place, response: own };
    const name = own.$ref.split('/').at(-1) ?? '';
    const responses = asObject(asObject(this.document.components).responses);
    return { place: ['components', 'responses', name], response: asObject(responses[name]) };
  }

  private validatorAt(place: readonly string[]): ValidateFunction {
    const pointer = place.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.ajv.getSchema(`${ROOT}#/${pointer}`);
    if (validate === undefined) throw new Error(`there is no schema at ${place.join(' > ')}`);
    return validate;
  }
}

function operationOf(method: string, path: string, node: Node): DocumentOperation {
  const json = asObject(asObject(asObject(node.requestBody).content)['application/json']);
  const examples = Object.entries(asObject(json.examples)).map(([name, example]) => [name, asObject(example).value]);
  const parameters = asArray(node.parameters).map(asObject);
  const inPath = parameters.filter((parameter) => parameter.in === 'path' && typeof parameter.example === 'string');
  return {
    ...{ method, path, node, id: String(node.operationId), tag: String(asArray(node.tags)[0]) },
    examples: Object.fromEntries(examples),
    pathExamples: Object.fromEntries(inPath.map(({ name, example }) => [String(name), String(example)])),
  };
}

/** An error must have one of the documented codes. */
function codeProblems(response: Node, value: unknown): string[] {
  const codes = response['x-error-codes'];
  if (!Array.isArray(codes)) return [];
  const error = asObject(asObject(value).error);
  // OpenRouter's errors have their metadata directly, Google's in their first detail.
  const metadata = isObject(error.metadata) ? error.metadata : asObject(asObject(asArray(error.details)[0]).metadata);
  const code = typeof error.code === 'string' ? error.code : metadata.code;
  return codes.includes(code) ? [] : [`the code ${String(code)} is not described`];
}

function errorsOf({ errors }: ValidateFunction, value: unknown): string {
  const words = (errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return `${words.join('; ')}: ${JSON.stringify(value).slice(0, 500)}`;
}

function eventsOf(text: string): unknown[] {
  const data = text.split('\n').filter((line) => line.startsWith('data:') && line.trim() !== 'data: [DONE]');
  return data.map((line) => parseJson(line.slice('data:'.length)));
}

/**
 * OpenAPI 3.0.3 marks a bound as exclusive with a boolean; JSON Schema has the bound itself in that member.
 */
function asDraft7(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asDraft7);
  if (!isObject(value)) return value;
  const mapped = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asDraft7(member)]));
  const { exclusiveMinimum, exclusiveMaximum, minimum, maximum, ...rest } = mapped;
  return {
    ...rest,
    ...boundOf('minimum', 'exclusiveMinimum', minimum, exclusiveMinimum),
    ...boundOf('maximum', 'exclusiveMaximum', maximum, exclusiveMaximum),
  };
}

function boundOf(name: string, exclusive: string, bound: unknown, flag: unknown): object {
  if (flag === true) return { [exclusive]: bound };
  return bound === undefined ? {} : { [name]: bound };
}
