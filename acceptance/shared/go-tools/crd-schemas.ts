/* Definitions of custom resources as the JSON schemas that kubeconform reads. */

export interface CrdSchema {
  /** `kind-group-version.json`, in lower case. */
  readonly name: string;
  readonly schema: Json;
}

type Json = Readonly<Record<string, unknown>>;

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Json } }[];
  };
}

/** Returns one schema per version of a CustomResourceDefinition. */
export function crdSchemas(yaml: string): readonly CrdSchema[] {
  const { spec } = Bun.YAML.parse(yaml) as Definition;
  return spec.versions.map(({ name, schema }) => ({
    name: `${spec.names.kind}-${spec.group}-${name}.json`.toLowerCase(),
    schema: { ...strict(schema.openAPIV3Schema), $schema: 'http://json-schema.org/draft-07/schema#' },
  }));
}

/** Closes every object with known properties, as the API server does: a misspelt field would be dropped. */
function strict(schema: Json): Json {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') {
      result[key] = Object.fromEntries(
        Object.entries(value as Json).map(([name, member]) => [name, strict(member as Json)]),
      );
    } else if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object')) {
      result[key] = strict(value as Json);
    } else result[key] = value;
  }
  const isOpen = 'additionalProperties' in schema || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if ('properties' in schema && !isOpen) {
    result.additionalProperties = false;
    // The definitions of custom resources leave this to the API server.
    if ('metadata' in (schema.properties as Json)) result.properties = { ...(result.properties as Json), metadata: {} };
  }
  if (schema['x-kubernetes-int-or-string'] === true) return { type: ['integer', 'string'] };
  return result;
}
