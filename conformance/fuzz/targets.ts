import { channelParts, makeTextTarget, type TextTarget } from '../../src/engine/directory/target.ts';
import { sampleChannel } from '../../src/engine/ports/testing/samples.ts';
import { upstreamFormats } from '../../src/formats/index.ts';
import { providers } from '../../src/providers/index.ts';

/** The number of models per provider: quirks depend on the model's id. */
const MODELS_EACH = 5;

/** Returns every provider in each of its formats, for models with different quirks. */
export function fuzzTargets(): readonly TextTarget[] {
  const targets: TextTarget[] = [];
  for (const manifest of providers.values()) {
    const parts = channelParts(
      sampleChannel({
        ...{ id: 'fuzz', provider: manifest.name, baseUrl: 'https://upstream.invalid/v1', apiKey: null },
        ...{ formats: manifest.formats.map(({ format }) => format), models: {} },
      }),
      manifest,
    );
    for (const provided of manifest.formats) {
      const upstream = upstreamFormats.get(provided.format);
      const known = (manifest.models?.() ?? []).filter(({ category }) => category === 'chat').map(({ id }) => id);
      const served = [...known, 'a-model', 'claude-sonnet-4-5'].filter((id) => provided.models?.test(id) ?? true);
      const step = Math.max(1, Math.floor(served.length / MODELS_EACH));
      for (const [index, model] of served.entries()) {
        const ids = { publicId: model, upstreamModel: model, ruleModel: model };
        const target = upstream && index % step === 0 ? makeTextTarget(parts, provided, upstream, ids) : null;
        if (target) targets.push(target);
      }
    }
  }
  return targets;
}
