/* A name server, as container runtimes have one: it answers a service only with names of its own networks. */

export interface NamedService {
  readonly address: string;
  /** The networks that the service is on, with its names there. */
  readonly networks: ReadonlyMap<string, readonly string[]>;
}

const HEADER_BYTES = 12;
const ANSWER_TO_QUESTION = 0x8180;
const NO_SUCH_NAME = 3;
const TYPE_A = 1;
const CLASS_IN = 1;
/** A pointer to the question's name. */
const SAME_NAME = 0xc00c;
const TTL_SECONDS = 1;

export class Names {
  private readonly services = new Set<NamedService>();

  add(service: NamedService): void {
    this.services.add(service);
  }

  remove(service: NamedService): void {
    this.services.delete(service);
  }

  /** Returns the addresses of a name for the service at `from`. */
  resolve(name: string, from: string): readonly string[] {
    const asking = [...this.services].find(({ address }) => address === from);
    if (asking === undefined) return [];
    const isKnown = ({ networks }: NamedService) =>
      [...networks].some(([network, names]) => asking.networks.has(network) && names.includes(name));
    return [...this.services].filter(isKnown).map(({ address }) => address);
  }

  /** Serves port 53 of the address. */
  async listen(hostname: string): Promise<{ close(): void }> {
    return Bun.udpSocket({
      hostname,
      port: 53,
      socket: {
        data: (socket, query, port, from) => {
          socket.send(this.answer(query, from), port, from);
        },
      },
    });
  }

  private answer(query: Buffer, from: string): Buffer {
    const { name, type, end } = questionOf(query);
    const addresses = this.resolve(name, from);
    const records = type === TYPE_A ? addresses.map(addressRecord) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(ANSWER_TO_QUESTION | (addresses.length === 0 ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...records]);
  }
}

function questionOf(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(SAME_NAME, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(4, 10);
  record.set(address.split('.').map(Number), 12);
  return record;
}
