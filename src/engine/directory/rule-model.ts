import { namesFamily } from '../../domain/catalog/model-name.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import type { ModelFacts } from './model-facts.ts';

type Facts = Pick<ModelFacts, 'of' | 'model' | 'modelsOf'>;
type Provider = Pick<ProviderManifest, 'name' | 'hasDeployments'>;

/**
 * Returns the id by which model rules refer to an upstream model. It is the upstream's own id if that identifies the family. A deployment,
 * an alias or the ARN of an inference profile does not, so the rules use the catalog model that the channel maps to it.
 */
export function chooseRuleModel(facts: Facts, provider: Provider, publicId: string, upstreamModel: string): string {
  if (publicId === upstreamModel) return upstreamModel;
  const listed = listedAs(facts, provider.name, publicId);
  // Operators name deployments freely, so the mapping is more reliable than the name.
  if (provider.hasDeployments === true && listed !== null) return listed;
  if (facts.of(provider.name, upstreamModel) !== undefined || namesFamily(upstreamModel)) return upstreamModel;
  if (listed !== null) return listed;
  return facts.model(publicId) !== undefined || namesFamily(publicId) ? publicId : upstreamModel;
}

/** Returns the id of a public model in the provider's catalog: the same id, or one that contains it. */
function listedAs(facts: Facts, provider: string, publicId: string): string | null {
  if (facts.of(provider, publicId) !== undefined) return publicId;
  const name = spelled(publicId.slice(publicId.lastIndexOf('/') + 1));
  if (!namesFamily(name)) return null;
  return facts.modelsOf(provider).find(({ id }) => isPartOf(name, spelled(id)))?.id ?? null;
}

function spelled(id: string): string {
  return id.toLowerCase().replaceAll('.', '-');
}

/**
 * Returns whether `name` is a complete part of `id`: `claude-sonnet-4` is one of `claude-sonnet-4-20250514`, but not of
 * `claude-sonnet-4-5`.
 */
function isPartOf(name: string, id: string): boolean {
  const at = id.indexOf(name);
  if (at < 0) return false;
  const [before, after] = [id.slice(0, at), id.slice(at + name.length)];
  return (before === '' || /[^a-z0-9]$/.test(before)) && /^(?:$|[@:]|-(?:v\d|\d{6,}))/.test(after);
}
