import { ROUTES } from '../../conformance/management/routes.ts';
import { signInApi } from '../../src/main/describe-sign-in.ts';
import { managementApi } from '../../src/transports/management/openapi.ts';
import { assemble } from '../../src/transports/shared/openapi/assemble.ts';
import { COMPONENT_PREFIX, isSchema, type JsonSchema } from '../../src/transports/shared/openapi/json-schema.ts';

const INTRODUCTION = `/* Generated from the OpenAPI document of the management API by \`npm run generate\`; a test fails while it differs. */
`;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const WIDTH = 120;

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly node: JsonSchema;
}

/** Generates the types of the dashboard's client, and the path of each operation: `dashboard/api/schema.ts`. */
export async function clientTypes(): Promise<string> {
  const document = await assemble([managementApi(ROUTES), signInApi()], { title: '', version: '', serverUrl: '.' });
  const { paths, components } = structuredClone(document) as unknown as Record<'paths' | 'components', JsonSchema>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const node = isSchema(methods) ? methods[method] : undefined;
      return isSchema(node) ? [{ id: String(node.operationId), method, path, node }] : [];
    }),
  );
  const schemas = Object.entries(isSchema(components.schemas) ? components.schemas : {});
  return [
    INTRODUCTION,
    ...schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema, 0)};\n`),
    '/** The parameters and the result of each operation. */',
    `export interface Operations {\n${operations.map(operationType).join('\n')}\n}\n`,
    '/** Method and path of each operation. */',
    `export const PATHS = {\n${operations.map(({ id, method, path }) => `  ${id}: ['${method}', '${path}'],`).join('\n')}\n} as const;\n`,
  ].join('\n');
}

function operationType({ id, node }: Operation): string {
  const parameters = (Array.isArray(node.parameters) ? node.parameters : []).filter(isSchema);
  const members = [
    `    params: ${parametersType(parameters.filter((one) => one.in === 'path'))};`,
    `    query: ${parametersType(parameters.filter((one) => one.in === 'query'))};`,
    `    body: ${bodyType(node.requestBody)};`,
    `    answer: ${answerType(node.responses)};`,
  ];
  return `  ${id}: {\n${members.join('\n')}\n  };`;
}

function parametersType(parameters: readonly JsonSchema[]): string {
  if (parameters.length === 0) return 'undefined';
  const members = parameters.map(
    ({ name, required, schema }) =>
      `${nameOf(String(name))}${required === true ? '' : '?'}: ${typeOf(schema, 2)}${required === true ? '' : ' | undefined'};`,
  );
  return objectOf(members, 2);
}

/** Returns the schema of JSON content. */
function jsonOf(value: unknown): unknown {
  if (!isSchema(value) || !isSchema(value.content)) return undefined;
  const json = value.content['application/json'];
  return isSchema(json) ? json.schema : undefined;
}

function bodyType(body: unknown): string {
  const schema = jsonOf(body);
  if (schema === undefined) return 'undefined';
  return `${typeOf(schema, 2)}${isSchema(body) && body.required === true ? '' : ' | undefined'}`;
}

/** Returns the type of the first answer that is not an error. */
function answerType(responses: unknown): string {
  if (!isSchema(responses)) return 'undefined';
  const given = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const schemas = given.map(([, answer]) => jsonOf(answer)).filter((schema) => schema !== undefined);
  return schemas.length === 0 ? 'undefined' : typeOf(schemas[0], 2);
}

function typeOf(schema: unknown, depth: number): string {
  if (!isSchema(schema)) return 'unknown';
  const { $ref, nullable } = schema;
  if (typeof $ref === 'string') return $ref.slice(COMPONENT_PREFIX.length);
  const type = plainType(schema, depth);
  return nullable === true && type !== 'unknown' && type !== 'null' ? `${type} | null` : type;
}

function plainType(schema: JsonSchema, depth: number): string {
  const { type, allOf, items } = schema;
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  for (const union of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(union)) return [...new Set(union.map((one) => typeOf(one, depth)))].join(' | ');
  }
  if (Array.isArray(allOf)) return allOf.map((one) => `(${typeOf(one, depth)})`).join(' & ');
  if (type === 'string') return 'string';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return `readonly ${inBrackets(typeOf(items, depth))}[]`;
  return type === 'object' || isSchema(schema.properties) ? objectType(schema, depth) : 'unknown';
}

function objectType({ properties, required, additionalProperties }: JsonSchema, depth: number): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(isSchema(properties) ? properties : {}).map(([name, schema]) => {
    const type = typeOf(schema, depth + 1);
    return needed.has(name) ? `${nameOf(name)}: ${type};` : `${nameOf(name)}?: ${type} | undefined;`;
  });
  if (members.length > 0) return objectOf(members, depth);
  return `Record<string, ${isSchema(additionalProperties) ? typeOf(additionalProperties, depth) : 'unknown'}>`;
}

/** Formats an object type, on one line if it fits. */
function objectOf(members: readonly string[], depth: number): string {
  const line = `{ ${members.join(' ').replace(/;$/, '')} }`;
  if (!line.includes('\n') && line.length < WIDTH / 2) return line;
  const indent = '  '.repeat(depth + 1);
  return `{\n${members.map((member) => `${indent}${member}\n`).join('')}${'  '.repeat(depth)}}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

function inBrackets(type: string): string {
  return /^[\w.]+$/.test(type) || type.startsWith('{') ? type : `(${type})`;
}
