import { isRecord } from '../../shared/json/record.ts';
import type { Conversation } from '../client-request.ts';

/*
 * Estimates the size of a prompt from the parsed request and not from its bytes, because JSON has many spellings of one value.
 * Only known text counts as text; everything else counts as content of unknown size, so that a new kind of content is never
 * mistaken for a short text.
 */

export interface PromptWeight {
  /**
   * UTF-8 bytes of the whole body without media payloads: an upper bound for its text tokens, each of which has at least one
   * byte.
   */
  readonly textBytes: number;
  readonly images: number;
  /** Bytes of audio in the request itself. */
  readonly audioBytes: number;
  /**
   * Whether the prompt has something whose size the body does not show: a document, a video, content behind a URL or an id,
   * results of tools that the provider runs, or an unknown kind of content.
   */
  readonly isOpen: boolean;
  /** Whether the prompt has neither media nor anything that could be media. */
  readonly isTextOnly: boolean;
  /** A likely token count for media and unseen content, by the vendors' usual figures. */
  readonly likelyMediaTokens: number;
  /** The numbers of media in the prompt, in the request itself or behind a URL. Videos count as files. */
  readonly imageParts: number;
  readonly audioParts: number;
  readonly fileParts: number;
}

/** The vendors' own figures for an image of about a megapixel range from 765 (OpenAI) to 1,600 (Anthropic). */
const LIKELY_TOKENS_PER_IMAGE = 1_600;
/** For each page vendors count an image and some text; a page of a PDF has about 50 KB. */
const LIKELY_TOKENS_PER_PAGE = 2_000;
const BYTES_PER_PAGE = 50_000;
/** Gemini counts 32 tokens per second of audio and 258 of video; speech is about 16 KB per second, video 250 KB. */
const AUDIO_BYTES_PER_LIKELY_TOKEN = 400;
const VIDEO_BYTES_PER_LIKELY_TOKEN = 800;
/** For content of unknown size: behind a URL or an id, or found by a provider's own tool. */
const LIKELY_TOKENS_OF_UNSEEN = 2_000;
const MAX_DEPTH = 32;

type MediaKind = 'image' | 'audio' | 'video' | 'file';

const LONGEST_ADDRESS = 1024 * 1024;

/** Items and blocks that are text, except for what is under the names in `NESTED`. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set([
  // Chat completions
  'text',
  'refusal',
  // Responses
  'message',
  'input_text',
  'output_text',
  'summary_text',
  'reasoning_text',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'file_search_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  // Messages
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'web_search_tool_result',
  'web_search_result',
  'search_result',
  'tool_reference',
]);

/** Members of a turn, an item or a block that may contain further blocks. */
const NESTED: ReadonlySet<string> = new Set([
  'content',
  'parts',
  'output',
  'functionResponse',
  'function_response',
  'source',
]);

/** Members of a turn, an item or a block that count as text or as nothing. */
const PLAIN: ReadonlySet<string> = new Set(
  `action annotations args arguments cache_control call_id caller citations context created_by encrypted_content error execution
  finish_reason functionCall function_call id index input is_error logprobs name namespace operation partMetadata
  pending_safety_checks acknowledged_safety_checks phase prefix partial queries reasoning reasoning_content reasoning_details refusal
  response results role scheduling server_label signature status summary text thinking thought thoughtSignature thought_signature title
  tool_call_id tool_calls tool_use_id tools type url willContinue will_continue approve approval_request_id reason max_output_length
  environment recipient tool_name executableCode executable_code codeExecutionResult code_execution_result`.split(
    /\s+/,
  ),
);

/** Members of a body by which a provider adds content to the prompt that is not in the request. */
const OPENING: ReadonlySet<string> = new Set([
  'previous_response_id',
  'conversation',
  'prompt',
  'images',
  'mcp_servers',
  'container',
  'cachedContent',
  'cached_content',
  'web_search_options',
  'search_parameters',
  'plugins',
  'documents',
  'enable_search',
]);

/** Tools that the client itself runs; a provider's own tools add their results to the prompt. */
const CLIENT_TOOLS: ReadonlySet<unknown> = new Set([
  'function',
  'custom',
  'local_shell',
  'apply_patch',
  'namespace',
  'computer_use_preview',
]);
const ANTHROPIC_CLIENT_TOOL = /^(?:bash|text_editor|computer|memory)_\d+$/;
const DECLARATIONS: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations']);

/** @param bodyBytes of the body as the client sent it, or as it was assembled from stored turns */
export function weighPrompt(
  body: Readonly<Record<string, unknown>>,
  { lead, turns }: Conversation,
  bodyBytes: number,
): PromptWeight {
  const scale = new Scale();
  scale.content(lead, 0);
  scale.content(turns, 0);
  scale.tools(body.tools);
  for (const name in body) {
    const value = body[name];
    if (OPENING.has(name) && opens(name, value)) scale.unseen();
  }
  return scale.weight(bodyBytes);
}

/**
 * Returns whether a member adds unseen content. In text completions `prompt` is the text itself and not a reference to a stored
 * prompt.
 */
function opens(name: string, value: unknown): boolean {
  if (name === 'prompt' && !isRecord(value)) return false;
  return value !== null && value !== undefined && value !== false;
}

class Scale {
  private payloadBytes = 0;
  private images = 0;
  private audioBytes = 0;
  private isOpen = false;
  private likely = 0;
  private imageParts = 0;
  private audioParts = 0;
  private fileParts = 0;

  weight(bodyBytes: number): PromptWeight {
    const { images, audioBytes, isOpen, imageParts, audioParts, fileParts } = this;
    const textBytes = Math.max(0, bodyBytes - this.payloadBytes);
    const isTextOnly = !isOpen && images === 0 && audioBytes === 0;
    return {
      textBytes,
      images,
      audioBytes,
      isOpen,
      isTextOnly,
      likelyMediaTokens: Math.ceil(this.likely),
      imageParts,
      audioParts,
      fileParts,
    };
  }

  /** Weighs a turn, an item, a block, or a list of them. */
  content(value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null) return;
    if (depth > MAX_DEPTH) this.unseen();
    else if (Array.isArray(value)) for (const one of value) this.content(one, depth + 1);
    else if (isRecord(value)) this.block(value, depth);
  }

  private block(block: Readonly<Record<string, unknown>>, depth: number): void {
    if (block.type !== undefined && !TEXT_TYPES.has(block.type)) {
      this.medium(block, depth);
      return;
    }
    for (const name in block) {
      if (PLAIN.has(name)) continue;
      const value = block[name];
      if (NESTED.has(name)) this.content(value, depth + 1);
      else if (value !== null && value !== undefined) this.member(name, value);
    }
  }

  /** Weighs a block without a known type by its member's name (Gemini), or as unknown content. */
  private member(name: string, value: unknown): void {
    if ((name === 'inlineData' || name === 'inline_data') && isRecord(value)) {
      this.payload(kindOf(value.mimeType ?? value.mime_type), value.data);
      return;
    }
    if ((name === 'fileData' || name === 'file_data') && isRecord(value)) {
      this.part(kindOf(value.mimeType ?? value.mime_type));
    }
    if (typeof value === 'object' || typeof value === 'string') this.unseen();
  }

  private medium(block: Readonly<Record<string, unknown>>, depth: number): void {
    switch (block.type) {
      case 'image_url':
        this.payload('image', urlOf(block.image_url));
        break;
      case 'input_image':
      case 'computer_screenshot':
        this.payload('image', block.file_id ? null : urlOf(block.image_url));
        break;
      case 'image_generation_call':
        this.payload('image', block.result);
        break;
      case 'input_audio':
        this.payload('audio', isRecord(block.input_audio) ? block.input_audio.data : null);
        break;
      case 'image':
      case 'document':
        this.sourced(block, depth);
        break;
      case 'file':
        this.payload('file', isRecord(block.file) ? block.file.file_data : null);
        break;
      case 'input_file':
        this.payload('file', block.file_data);
        break;
      case 'video_url':
        this.payload('video', urlOf(block.video_url));
        break;
      default:
        this.unseen();
    }
  }

  /** Weighs an image or a document of Anthropic's, which has a source, or one of Bedrock's. */
  private sourced({ type, source }: Readonly<Record<string, unknown>>, depth: number): void {
    if (!isRecord(source)) this.unseen();
    else if (source.type === 'content') this.content(source.content, depth + 1);
    else if (source.type !== 'text') {
      this.payload(type === 'image' ? 'image' : 'file', source.type === 'base64' ? source.data : null);
    }
  }

  /** Weighs a medium given as base64, a data URL, or a URL; `null` for one stored elsewhere. */
  private payload(kind: MediaKind, data: unknown): void {
    this.part(kind);
    const inBody = typeof data === 'string' && !isAddress(data) ? data.length : 0;
    this.payloadBytes += inBody;
    const bytes = (inBody * 3) / 4;
    if (kind === 'image') this.image();
    else if (bytes === 0) this.unseen();
    else if (kind === 'audio') {
      this.audioBytes += bytes;
      this.likely += bytes / AUDIO_BYTES_PER_LIKELY_TOKEN;
    } else {
      this.isOpen = true;
      this.likely += kind === 'video' ? bytes / VIDEO_BYTES_PER_LIKELY_TOKEN : pagesOf(bytes) * LIKELY_TOKENS_PER_PAGE;
    }
  }

  private part(kind: MediaKind): void {
    if (kind === 'image') this.imageParts++;
    else if (kind === 'audio') this.audioParts++;
    else this.fileParts++;
  }

  private image(): void {
    this.images++;
    this.likely += LIKELY_TOKENS_PER_IMAGE;
  }

  unseen(): void {
    this.isOpen = true;
    this.likely += LIKELY_TOKENS_OF_UNSEEN;
  }

  tools(tools: unknown): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools) if (isRecord(tool)) this.tool(tool);
  }

  private tool(tool: Readonly<Record<string, unknown>>): void {
    const { type } = tool;
    if (type === undefined) {
      // The tools of Gemini are identified by their members' names; in other formats a tool without a type is the
      // client's.
      if (tool.name !== undefined || tool.function !== undefined || tool.input_schema !== undefined) return;
      for (const name in tool) {
        if (!DECLARATIONS.has(name) && tool[name] !== null && tool[name] !== undefined) this.unseen();
      }
      return;
    }
    if (CLIENT_TOOLS.has(type) || (typeof type === 'string' && ANTHROPIC_CLIENT_TOOL.test(type))) return;
    this.unseen();
  }
}

/**
 * Returns whether the data is a URL. No provider fetches a longer one, and examining the beginning of a long text would flatten
 * it.
 */
function isAddress(data: string): boolean {
  return data.length <= LONGEST_ADDRESS && /^[a-z]+:\/\//i.test(data.slice(0, 16));
}

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_PAGE);
}

function kindOf(mimeType: unknown): MediaKind {
  const [kind] = typeof mimeType === 'string' ? mimeType.toLowerCase().split('/', 1) : [];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
}

/** Returns the URL: Chat's blocks have an object around it, some dialects only the URL. */
function urlOf(value: unknown): unknown {
  return isRecord(value) ? value.url : value;
}
