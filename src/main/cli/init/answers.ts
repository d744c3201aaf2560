import { s3Schema, serverSchema } from '../../../engine/admin/schema/settings.ts';
import { didYouMean } from '../../../engine/admin/schema/shape-problems.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { CommandError } from '../command-error.ts';
import type { Terminal } from '../terminal.ts';
import { type InitAnswers, isInitProvider, SITUATIONS, type Situation } from './configuration-text.ts';

/** The answers as texts, from options or from a terminal. */
export interface InitTexts {
  readonly for: Situation;
  /** Names of providers, separated by commas. */
  readonly providers?: string | undefined;
  readonly publicUrl?: string | undefined;
  /** Ranges of addresses, separated by commas. */
  readonly trustedProxies?: string | undefined;
  readonly bucket?: string | undefined;
}

type Providers = ReadonlyMap<string, ProviderManifest>;

/** Checks the options, whose names are in the errors. Throws `CommandError`. */
export function answersFrom(texts: InitTexts, providers: Providers): InitAnswers {
  const { for: situation, publicUrl, bucket } = texts;
  const trustedProxies = listIn(texts.trustedProxies);
  refuseUnused(texts);
  check('--public-url', serverSchema.shape.public_url.safeParse(publicUrl));
  check('--trusted-proxies', serverSchema.shape.trusted_proxies.safeParse(trustedProxies));
  check('--bucket', s3Schema.shape.bucket.optional().safeParse(bucket));
  return {
    situation,
    providers: [...new Set(listIn(texts.providers))].map((name) => providerNamed(name, providers)),
    publicUrl: publicUrl ?? null,
    trustedProxies,
    bucket: bucket ?? null,
  };
}

/** Asks for what `answersFrom` reads. Resolves to `null` if the input has ended, or a question had too many invalid answers. */
export async function askForAnswers(terminal: Terminal, providers: Providers): Promise<InitAnswers | null> {
  const ask = async (question: string, add: (text: string) => InitTexts): Promise<InitTexts | null> => {
    let problem = '';
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const text = await terminal.ask(`${problem}${question}`);
      if (text === null) return null;
      try {
        const texts = add(text.trim());
        answersFrom(texts, providers);
        return texts;
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        problem = `${error.message.replace(/^--[a-z-]+: /, '')}\n`;
      }
    }
    return null;
  };
  let texts = await ask(SITUATION_QUESTION, (text) => ({ for: situationIn(text) }));
  for (const { question, field, isFor } of QUESTIONS) {
    if (texts === null) return null;
    const known: InitTexts = texts;
    if (!isFor.includes(known.for)) continue;
    texts = await ask(question(providers), (text) => ({ ...known, ...(text !== '' && { [field]: text }) }));
  }
  return texts === null ? null : answersFrom(texts, providers);
}

const MOST_ATTEMPTS = 5;

const SITUATION_QUESTION = 'Where will the gateway run? 1 laptop, 2 one server, 3 cluster of several nodes: ';

interface Question {
  readonly field: Exclude<keyof InitTexts, 'for'>;
  readonly isFor: readonly Situation[];
  readonly question: (providers: Providers) => string;
}

const QUESTIONS: readonly Question[] = [
  {
    field: 'providers',
    isFor: SITUATIONS,
    question: (providers) => `Providers, separated by commas (${exampleNames(providers)}; empty for none yet): `,
  },
  {
    field: 'publicUrl',
    isFor: ['server', 'cluster'],
    question: () => 'Address for clients, such as https://ai.example.com (empty if not known yet): ',
  },
  {
    field: 'trustedProxies',
    isFor: ['server', 'cluster'],
    question: () => 'Addresses of your reverse proxies, such as 10.0.0.0/8 (empty for none): ',
  },
  {
    field: 'bucket',
    isFor: ['cluster'],
    question: () => 'S3 bucket for generated images and videos (empty for none): ',
  },
];

function exampleNames(providers: Providers): string {
  const names = [...providers.values()].filter(isInitProvider).map(({ name }) => name);
  const known = ['openai', 'anthropic', 'google'].filter((name) => names.includes(name));
  return (known.length > 0 ? known : names.slice(0, 3)).join(', ');
}

function situationIn(text: string): Situation {
  const found = SITUATIONS.find((name, index) => text === String(index + 1) || text.toLowerCase() === name);
  if (found !== undefined) return found;
  throw new CommandError('Answer 1, 2 or 3.', 2);
}

function providerNamed(name: string, providers: Providers): ProviderManifest {
  const found = providers.get(name);
  if (found !== undefined && isInitProvider(found)) return found;
  const usable = [...providers.values()].filter(isInitProvider).map((manifest) => manifest.name);
  if (found === undefined) {
    throw new CommandError(
      `--providers: there is no provider "${name.slice(0, 100)}"${didYouMean(name, usable)}. "switchyard catalog list" shows them`,
      2,
    );
  }
  throw new CommandError(
    `--providers: ${found.label} needs more than a key. Write the file without it, and add its channel as docs/channels.md says`,
    2,
  );
}

/** An option without an effect is an error, since its value would be missing from the file. */
function refuseUnused(texts: InitTexts): void {
  const unused = QUESTIONS.find(({ field, isFor }) => texts[field] !== undefined && !isFor.includes(texts.for));
  if (unused === undefined) return;
  const option = unused.field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CommandError(
    `--${option}: is only for ${unused.isFor.join(' and ')}. Leave it out with --for ${texts.for}`,
    2,
  );
}

function check(option: string, parsed: { success: boolean; error?: { issues: readonly { message: string }[] } }): void {
  if (!parsed.success) throw new CommandError(`${option}: ${parsed.error?.issues[0]?.message ?? 'is not valid'}`, 2);
}

function listIn(text = ''): readonly string[] {
  return text.split(',').flatMap((one) => one.trim() || []);
}
