/**
 * Names of model families as vendors write them in ids. A deployment, an alias or an ARN without any of them does not reveal its
 * model.
 */
const FAMILIES =
  /(?:^|[^a-z])(?:claude|chatgpt|gpt|codex|dall-e|whisper|tts|gemini|gemma|imagen|veo|nova|titan|llama|mistral|ministral|mixtral|magistral|codestral|devstral|voxtral|pixtral|qwen|qwq|wan|deepseek|kimi|moonshot|glm|minimax|grok|command|jamba|granite|nemotron|phi|ernie|hunyuan|doubao|seed|yi|sonar|embed|rerank)(?![a-z])|(?:^|[^a-z0-9])o[134](?![a-z0-9])/;

/** Returns whether a model's id reveals its family. */
export function namesFamily(id: string): boolean {
  return FAMILIES.test(resourceOf(id.toLowerCase()));
}

/** Returns the resource at the end of an ARN. Regions and accounts before it could be mistaken for names. */
function resourceOf(id: string): string {
  return id.startsWith('arn:') ? id.slice(id.search(/[^:/]*\/[^/]*$/)) : id;
}
