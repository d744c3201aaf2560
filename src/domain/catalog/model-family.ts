/**
 * Names of model families as vendors write them in ids. A deployment, an alias or an ARN that holds none of them says nothing of
 * its model.
 */
const FAMILIES =
  /(?:^|[^a-z])(?:claude|chatgpt|gpt|codex|dall-e|whisper|tts|gemini|gemma|imagen|veo|nova|titan|llama|mistral|ministral|mixtral|magistral|codestral|devstral|voxtral|pixtral|qwen|qwq|wan|deepseek|kimi|moonshot|glm|minimax|grok|command|jamba|granite|nemotron|phi|ernie|hunyuan|doubao|seed|yi|sonar|embed|rerank)(?![a-z])|(?:^|[^a-z0-9])o[134](?![a-z0-9])/;

/** Whether a model's id tells the family that it belongs to. */
export function namesFamily(id: string): boolean {
  return FAMILIES.test(resourceOf(id.toLowerCase()));
}

/** The resource that an ARN ends with. Regions and accounts before it could be taken for names. */
function resourceOf(id: string): string {
  return id.startsWith('arn:') ? id.slice(id.search(/[^:/]*\/[^/]*$/)) : id;
}
