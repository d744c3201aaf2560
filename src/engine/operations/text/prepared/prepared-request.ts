import { Failure } from '../../../../domain/failure/failure.ts';
import type { FoundFiles } from '../../../../formats/shared/media/media-fields.ts';
import { readScanned, scanned } from '../../../../formats/shared/request/body.ts';
import type { BodyScan } from '../../../../formats/shared/request/body-scan.ts';
import type { ParsedRequest } from '../../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../../formats/text/format.ts';
import type { Texts } from './filled-texts.ts';

/** The facts of a request that its outline determines. */
export type OutlinedFacts = Pick<ParsedRequest, 'call' | 'model' | 'stream' | 'wantsStreamUsage' | 'omitsNullUsage'>;

/** A request whose outline is known to be valid. It is parsed only when somebody reads its body. */
export class PreparedRequest implements ParsedRequest {
  readonly call: ParsedRequest['call'];
  readonly model: string;
  readonly stream: boolean;
  readonly wantsStreamUsage: boolean;
  readonly omitsNullUsage: boolean;
  bytes: Uint8Array;
  declare files?: FoundFiles;
  private parsed: ParsedRequest | null = null;
  private scanned: BodyScan | null = null;

  constructor(
    private readonly format: ClientFormat,
    facts: OutlinedFacts,
    /** Its bytes, and where its texts are. */
    readonly texts: Texts,
  ) {
    this.call = facts.call;
    this.model = facts.model;
    this.stream = facts.stream;
    this.wantsStreamUsage = facts.wantsStreamUsage;
    this.omitsNullUsage = facts.omitsNullUsage === true;
    this.bytes = texts.bytes;
  }

  get scan(): BodyScan {
    this.scanned ??= scanned(this.bytes, this.format.ownNames.table);
    return this.scanned;
  }

  get body(): ParsedRequest['body'] {
    return this.whole().body;
  }

  /** Returns the request as the format parses it. */
  whole(): ParsedRequest {
    this.parsed ??= this.parse();
    return this.parsed;
  }

  private parse(): ParsedRequest {
    const read = readScanned(this.scan);
    const parsed = read instanceof Failure ? read : this.format.parseRequest(read, this.call);
    if (parsed instanceof Failure) throw new Error(`a prepared request is invalid: ${parsed.message}`);
    return parsed;
  }
}
