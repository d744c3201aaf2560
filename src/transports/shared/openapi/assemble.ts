import type { z } from 'zod';
import {
  type DescribedAnswer,
  type DescribedApi,
  type DescribedContent,
  type DescribedEndpoint,
  type DescribedField,
  SECURITY_SCHEMES,
} from './described-endpoint.ts';
import { ErrorAnswers, ID_HEADERS } from './error-answers.ts';
import { isSchema, type JsonSchema, pascalCase } from './json-schema.ts';
import { type Direction, SchemaComponents } from './schema-components.ts';

export interface DocumentInfo {
  /** The name of the service. */
  readonly title: string;
  readonly version: string;
  /** The address at which clients reach the gateway; may be relative to the document's. */
  readonly serverUrl: string;
}

/** An OpenAPI document (3.0.3) as plain JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.0.3';
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: JsonSchema;
  readonly [member: string]: unknown;
}

const DESCRIPTION = `An AI gateway: one API key for many providers, with chat, embeddings, images, audio, video, music and 3D models in the formats that clients already use.

- **Text** in five formats: Chat Completions, Responses, Messages, Gemini and text completions. Each accepts the members of its vendor’s API; unknown members are passed on.
- **Long work** (videos, music, 3D models, slow images) returns a task: poll its \`poll_url\`.
- **Errors** use the envelope of the endpoint’s format. Branch on \`code\`, which is the same in all formats.
- Every response has the header \`x-request-id\`. If the request has an id of your own in \`X-Client-Request-Id\` or \`X-Request-Id\` (1 to 128 printable ASCII characters without spaces and quotes), the response repeats it in \`x-client-request-id\`. If it belongs to a trace (\`traceparent\`, \`tracestate\`), the response has a \`traceparent\` with the gateway’s own span.`;

/** How long it may work before it yields to other requests. */
const LONGEST_WORK_MS = 10;

/** Assembles the document of these APIs, with pauses, so that requests are answered meanwhile. */
export async function assemble(apis: readonly DescribedApi[], info: DocumentInfo): Promise<OpenApiDocument> {
  const writer = new DocumentWriter();
  let startedMs = performance.now();
  for (const [api, endpoint] of apis.flatMap((api) => api.endpoints.map((endpoint) => [api, endpoint] as const))) {
    writer.add(endpoint, api.schemaPrefix);
    if (performance.now() - startedMs < LONGEST_WORK_MS) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    startedMs = performance.now();
  }
  return writer.document(apis, info);
}

class DocumentWriter {
  private readonly schemas = new SchemaComponents();
  private readonly errors = new ErrorAnswers(this.schemas);
  private readonly paths: Record<string, Record<string, JsonSchema>> = {};
  private readonly used = new Set<string>();

  add(endpoint: DescribedEndpoint, schemaPrefix: string): void {
    this.schemas.ofPart(schemaPrefix);
    const methods = this.paths[endpoint.path] ?? {};
    if (methods[endpoint.method] !== undefined)
      throw new Error(`${endpoint.method} ${endpoint.path} is described twice`);
    methods[endpoint.method] = this.operation(endpoint);
    this.paths[endpoint.path] = methods;
  }

  document(apis: readonly DescribedApi[], { title, version, serverUrl }: DocumentInfo): OpenApiDocument {
    const schemes = Object.entries(SECURITY_SCHEMES).filter(([name]) => this.used.has(name));
    return {
      openapi: '3.0.3',
      info: {
        title,
        version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      servers: [{ url: serverUrl, description: 'This gateway' }],
      tags: apis.flatMap(({ tags }) => tags),
      paths: this.paths,
      components: {
        schemas: this.schemas.all(),
        responses: this.errors.all(),
        headers: HEADERS,
        securitySchemes: Object.fromEntries(schemes),
      },
    };
  }

  private operation(endpoint: DescribedEndpoint): JsonSchema {
    const { operationId, tag, summary, description, security, isSecurityOptional, isDeprecated } = endpoint;
    for (const name of security) this.used.add(name);
    const ways = security.map((name) => ({ [name]: [] }));
    const parameters = this.parameters(endpoint);
    return {
      operationId,
      tags: [tag],
      summary,
      ...(description !== undefined && { description }),
      ...(isDeprecated && { deprecated: true }),
      security: isSecurityOptional ? [...ways, {}] : ways,
      ...(parameters.length > 0 && { parameters }),
      ...(endpoint.body && { requestBody: this.requestBody(endpoint, endpoint.body) }),
      responses: this.responses(endpoint),
    };
  }

  private parameters({ operationId, pathParameters, query, headers }: DescribedEndpoint): JsonSchema[] {
    const places = { path: pathParameters, query, header: headers };
    return Object.entries(places).flatMap(([place, schema]) =>
      Object.entries(schema?.shape ?? {}).map(([name, property]) => this.parameter(operationId, place, name, property)),
    );
  }

  private parameter(operationId: string, place: string, name: string, property: z.core.$ZodType): JsonSchema {
    const written = this.schemas.add(property as z.ZodType, 'input', pascalCase(operationId) + pascalCase(name));
    const { description, example, nullable: _never, ...schema } = written;
    return {
      name,
      in: place,
      required: place === 'path' || property._zod.optin === undefined,
      ...(description !== undefined && { description }),
      ...(example !== undefined && { example }),
      schema,
    };
  }

  private requestBody({ operationId }: DescribedEndpoint, body: NonNullable<DescribedEndpoint['body']>): JsonSchema {
    return {
      ...(body.description !== undefined && { description: body.description }),
      required: body.optional !== true,
      content: this.content(body.content, 'input', `${pascalCase(operationId)}Request`),
    };
  }

  private responses({ operationId, answers, errors, envelope }: DescribedEndpoint): Record<string, JsonSchema> {
    const [first] = answers;
    const given = answers.map((answer) => {
      const isOther = answer.content?.['application/json']?.schema !== first?.content?.['application/json']?.schema;
      const name = `${pascalCase(operationId)}Answer${isOther ? answer.status : ''}`;
      return [answer.status, this.answer(answer, name)];
    });
    return { ...this.errors.of(envelope, errors), ...Object.fromEntries(given) };
  }

  private answer({ description, headers = {}, content }: DescribedAnswer, name: string): JsonSchema {
    const own = Object.entries(headers).map(([header, text]) => [
      header,
      { description: text, schema: { type: 'string' } },
    ]);
    return {
      description,
      headers: { ...ID_HEADERS, ...Object.fromEntries(own) },
      ...(content && { content: this.content(content, 'output', name) }),
    };
  }

  private content(content: Readonly<Record<string, DescribedContent>>, direction: Direction, name: string): JsonSchema {
    const entries = Object.entries(content).map(([mediaType, { schema, fields, examples }]) => {
      const written = this.schemas.addNamed(schema, direction, mediaType === 'application/json' ? name : null);
      for (const [path, field] of Object.entries(fields ?? {})) this.describe(written, path, field);
      return [mediaType, { schema: written, ...(examples && { examples }) }];
    });
    return Object.fromEntries(entries);
  }

  /** Describes the member at a path. Throws if it does not exist. */
  private describe(root: JsonSchema, path: string, field: DescribedField): void {
    let schema = root;
    const steps = path.split('.');
    for (const [index, step] of steps.entries()) {
      const { properties } = this.schemas.resolved(schema);
      const property = isSchema(properties) ? properties[step] : undefined;
      if (!isSchema(properties) || !isSchema(property)) throw new Error(`there is no member ${path} to describe`);
      if (index === steps.length - 1) properties[step] = withField(property, field);
      schema = property;
    }
  }
}

/** Wraps a reference in `allOf`, since siblings of `$ref` are ignored. */
function withField(schema: JsonSchema, field: DescribedField): JsonSchema {
  return '$ref' in schema ? { ...field, allOf: [schema] } : { ...schema, ...field };
}

const HEADERS: JsonSchema = {
  RequestId: {
    description: 'The id of this request, for finding it in the request log.',
    schema: { type: 'string' },
  },
  ClientRequestId: {
    description: 'The id that you gave this request, if it has one.',
    schema: { type: 'string' },
  },
  Traceparent: {
    description: 'The gateway’s own span in the trace of this request, if it has one (W3C Trace Context).',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds to wait before you retry the request.', schema: { type: 'integer' } },
};
