import type { Quirk } from '../../src/formats/text/quirk.ts';
import { topicOf } from './ablation.ts';

/*
 * Quirks without which no strict upstream refuses a request, because no published source documents an error.
 * `quirks.test.ts` checks that none of these quirks has a rule and that every entry belongs to a quirk.
 */

const REASONS = {
  ignored: 'As far as is known, the service accepts the field and ignores it. The quirk tells the client what is lost.',
  undone:
    'The service is not known to refuse the request, but would not do what it asks for. The gateway refuses it instead.',
  otherwise: 'The service accepts the request, but would interpret it differently or lose part of it.',
  answers: 'The quirk concerns responses.',
  unserved: 'No model of the strict upstream has the quirk.',
} as const;

type Reason = keyof typeof REASONS;

/** Hosts and servers of open models, whose quirks are mostly the same. */
const HOSTS =
  'moonshot alibaba zai cerebras fireworks together minimax nvidia vllm-chat sglang-chat llamacpp-chat lm-studio-chat ollama-chat';

/** Topics of quirks (`topicOf`), each with the names of the strict upstreams at which it has no rule. */
const UNJUDGED: Readonly<Record<Reason, Readonly<Record<string, string>>>> = {
  ignored: {
    'lacks cache-key': `${HOSTS} deepseek perplexity`,
    'lacks frequency-penalty': 'groq zai minimax',
    'lacks logit-bias': 'deepseek moonshot alibaba zai minimax perplexity ollama-chat',
    'lacks logprobs': 'moonshot zai together perplexity lm-studio-chat',
    'lacks metadata': `${HOSTS} deepseek groq perplexity`,
    'lacks parallel-tool-calls': 'together perplexity',
    'lacks participant-name': 'zai',
    'lacks presence-penalty': 'groq zai minimax',
    'lacks reasoning-budget': 'minimax',
    'lacks reasoning-effort': 'zai minimax',
    'lacks reasoning-state': 'openai-chat azure-openai-chat',
    'lacks reasoning-summary': 'openai-chat azure-openai-chat cohere-chat',
    'lacks seed': 'deepseek zai perplexity',
    'lacks service-tier': `${HOSTS} deepseek groq perplexity`,
    'lacks strict-tools': 'zai vertex-claude',
    'lacks user': 'alibaba together perplexity vllm-chat lm-studio-chat ollama-chat',
    'lacks verbosity': `${HOSTS} deepseek xai perplexity`,
  },
  undone: {
    'lacks audio':
      'moonshot alibaba zai cerebras fireworks together perplexity nvidia vllm-chat sglang-chat llamacpp-chat lm-studio-chat ollama-chat',
    'lacks candidate-count': 'zai perplexity lm-studio-chat ollama-chat',
    'lacks document':
      'moonshot alibaba zai cerebras fireworks nvidia vllm-chat sglang-chat llamacpp-chat lm-studio-chat ollama-chat',
    'lacks function-tools': 'perplexity',
    'lacks hosted-tools': `${HOSTS} deepseek mistral groq perplexity`,
    'lacks output-modalities': `${HOSTS} deepseek xai perplexity`,
    'lacks provider-file': `${HOSTS} deepseek groq perplexity bedrock-claude`,
    'lacks stop': 'perplexity',
    'lacks tool-choice-named': 'perplexity',
    'lacks tool-choice-required': 'alibaba perplexity',
    'lacks web-search': `${HOSTS} deepseek mistral groq`,
  },
  otherwise: {
    efforts: 'deepseek cerebras openrouter',
    'lacks audio': 'gemini vllm-chat sglang-chat llamacpp-chat',
    'lacks custom-tools':
      'xai moonshot alibaba zai cerebras fireworks together minimax perplexity nvidia open-model-server sglang-chat llamacpp-chat lm-studio-chat ollama-chat',
    'lacks document': 'bedrock-claude gemini',
    'lacks image': 'bedrock-claude gemini',
    'lacks json-schema': 'vertex-claude bedrock-claude bedrock-converse',
    'lacks reasoning-effort': 'alibaba',
    'lacks system-prompt-midway': 'groq moonshot zai cerebras',
    'lacks tool-choice-allowed':
      'cerebras fireworks together minimax nvidia cohere-chat vllm-chat sglang-chat llamacpp-chat ollama-chat',
    'lacks tool-choice-named': 'llamacpp-chat',
    'lacks video': 'gemini',
    'omit generateContentRequest': 'vertex-gemini',
    'omit generate_content_request': 'vertex-gemini',
    'reasoning-input':
      'alibaba zai fireworks together minimax openrouter nvidia bedrock-converse vllm-chat sglang-chat llamacpp-chat lm-studio-chat ollama-chat',
    'rename max_tokens': 'moonshot cerebras minimax',
    'rename user': 'zai',
    'role developer': 'xai groq cerebras fireworks nvidia sglang-chat llamacpp-chat lm-studio-chat ollama-chat',
    'set reasoning_split': 'minimax',
    'thinking-switch': 'deepseek xai moonshot alibaba zai openrouter nvidia vllm-chat sglang-chat llamacpp-chat',
  },
  answers: {
    'reasoning-beside-completion': 'xai',
  },
  unserved: {
    efforts: 'openai-chat azure-openai-chat',
    'lacks audio': 'alibaba',
    'lacks json-mode': 'azure-openai-chat',
    'lacks json-schema': 'azure-openai-chat',
    'reasoning-input': 'bedrock-converse',
  },
};

export interface Unjudged {
  readonly reason: string;
  readonly topic: string;
  /** The name of the strict upstream. */
  readonly upstream: string;
}

export const unjudged: readonly Unjudged[] = Object.entries(UNJUDGED).flatMap(([reason, topics]) =>
  Object.entries(topics).flatMap(([topic, upstreams]) =>
    // The keys are those of REASONS.
    upstreams.split(' ').map((upstream) => ({ reason: REASONS[reason as Reason], topic, upstream })),
  ),
);

/** Returns the entry that stands for a quirk of a strict upstream, if there is one. */
export function unjudgedEntry(upstream: string, quirk: Quirk): Unjudged | undefined {
  const topic = topicOf(quirk);
  return unjudged.find((one) => one.upstream === upstream && one.topic === topic);
}
