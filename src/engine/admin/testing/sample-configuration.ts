import type { Configuration } from '../configuration/configuration.ts';
import { fileSchema, toConfiguration } from '../schema/configuration-file.ts';
import { testProviders } from './test-providers.ts';

/** Returns the configuration of a file with this content. */
export function sampleConfiguration(content: object): Configuration {
  const source = { path: 'sample.yaml', value: content, variables: {} };
  return toConfiguration(fileSchema.parse(content), testProviders, source);
}
