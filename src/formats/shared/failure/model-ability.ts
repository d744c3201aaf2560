/* Refusals because the model of one channel lacks an ability. Another channel may serve the same public model with more. */

/** Abilities that a request may need from a model in addition to text. */
const ABILITY =
  'tools?|tool[ _-](?:use|calls?|calling|choice)|functions?(?:[ _-]call(?:s|ing)?)?|images?(?:[_ ]urls?)?|vision|multi-?modal|audio|videos?|documents?|pdfs?|files?|(?:structured|json)[ _-]?(?:outputs?|mode|schema)|response[ _-]?format|reasoning(?:[ _.-]effort)?|thinking|logprobs|streaming|system (?:messages?|prompts?|instructions?)|developer instructions?';

/**
 * Patterns from real refusals. Each pattern is bounded. A false match costs at most one more attempt at another channel and does
 * not change the channel's health.
 */
const ABILITY_TEXTS: readonly RegExp[] = [
  // Ollama, Anthropic, Bedrock, DeepSeek, LM Studio, OpenRouter ("No endpoints found that support tool use").
  new RegExp(
    `\\b(?:does not|doesn[’']t|do not|don[’']t|no endpoints found that) support\\b.{0,60}?\\b(?:${ABILITY})\\b`,
    'i',
  ),
  // OpenAI, Groq, xAI, llama.cpp ("image input is not supported"); Gemini and Mistral ("Function calling is not enabled for …").
  new RegExp(
    `\\b(?:${ABILITY})\\b.{0,60}?\\b(?:(?:is|are) (?:not|un)[ ]?(?:supported|enabled|available|allowed)|(?:is|are) only supported by certain models)\\b`,
    'i',
  ),
  // OpenAI: "Unsupported parameter: 'temperature' is not supported with this model."
  /\bnot supported (?:with|by|for|in|on) (?:this|the) (?:\w+ )?model\b/i,
  // vLLM: "… is not a multimodal model", "At most 0 image(s) may be provided".
  /\bis not a (?:multi-?modal|vision|reasoning|tool)\b.{0,20}\bmodel\b|\bat most 0 (?:image|audio|video)/i,
  // vLLM: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'; llama.cpp: "tools param requires --jinja flag".
  /\btools?\b.{0,40}\brequires? --[\w-]+/i,
];

/** An open model's chat template refuses a conversation by raising an error: llama.cpp, LM Studio and Ollama then answer 500. */
const TEMPLATE_TEXT =
  /\bjinja (?:exception|template)\b|\braise_exception\(|^system message must be at the (?:beginning|start)\b/i;

/** Returns whether the words say that this channel's model cannot do what the request asks for. */
export function isAboutAbility(words: string): boolean {
  return TEMPLATE_TEXT.test(words) || ABILITY_TEXTS.some((pattern) => pattern.test(words));
}
