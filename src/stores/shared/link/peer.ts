import type { Socket, UnixSocketListener } from 'bun';
import { Numbered } from '../../../domain/concurrency/numbered.ts';
import { describeError } from '../../../domain/text/describe-error.ts';
import type { Logger } from '../../../engine/ports/logger.ts';
import { fromRemoteError, type RemoteError, toRemoteError } from '../remote-error.ts';
import { Wire } from './wire.ts';

/** Objects that the other process may call, by name. Arguments and results of their methods are plain data. */
export type Offered = Readonly<Record<string, object>>;

interface Call {
  /** `null` if no response is expected. */
  readonly id: number | null;
  readonly to: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Answer =
  | { readonly answers: number; readonly result: unknown }
  | { readonly answers: number; readonly error: RemoteError };

type Message = Call | Answer;

interface Asked {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The methods of an object in another process. */
export type Far<Part> = {
  readonly [Method in keyof Part]: Part[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** The other process on a Unix socket. Each side may call what the other offers. */
export class Peer {
  /** Resolves when the other process or the connection has ended. */
  readonly ended: Promise<void>;
  readonly #wire: Wire;
  readonly #offered: Offered;
  readonly #logger: Logger;
  readonly #asked = new Numbered<Asked>();
  readonly #setEnded: () => void;
  #hasEnded = false;

  constructor(wire: (onMessage: (message: unknown) => void) => Wire, offered: Offered, logger: Logger) {
    this.#wire = wire((message) => this.#heard(message as Message)); // The other side runs the same program.
    this.#offered = offered;
    this.#logger = logger;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#setEnded = resolve;
  }

  /** Returns a proxy for the object that the other process offers under this name. */
  far<Part>(to: string): Far<Part> {
    const get =
      (_: object, method: string) =>
      (...args: readonly unknown[]) =>
        this.call(to, method, args);
    return new Proxy({}, { get }) as Far<Part>; // Callers can only use the methods of the type.
  }

  /** Calls a method. Rejects with its error, or if the other process has ended. */
  call(to: string, method: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#hasEnded) return Promise.reject(goneError());
    return new Promise((resolve, reject) => {
      const id = this.#asked.add({ resolve, reject });
      this.#wire.send({ id, to, method, args } satisfies Message, (error) => {
        this.#asked.take(id);
        reject(error);
      });
    });
  }

  /** Calls a method without waiting for a response; failures are logged. Does nothing if the other process has ended. */
  tell(to: string, method: string, args: readonly unknown[]): void {
    if (this.#hasEnded) return;
    this.#wire.send({ id: null, to, method, args } satisfies Message, (error) => this.#failed(to, method, error));
  }

  /** Closes the connection after sending pending messages. */
  close(): void {
    this.#wire.end();
  }

  received(bytes: Uint8Array): void {
    this.#wire.received(bytes);
  }

  drained(): void {
    this.#wire.drained();
  }

  closed(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const [id, { reject }] of this.#asked.all()) {
      this.#asked.take(id);
      reject(goneError());
    }
    this.#setEnded();
  }

  #heard(message: Message): void {
    if ('to' in message) return void this.#perform(message);
    const asked = this.#asked.take(message.answers);
    if ('error' in message) asked?.reject(fromRemoteError(message.error));
    else asked?.resolve(message.result);
  }

  async #perform({ id, to, method, args }: Call): Promise<void> {
    try {
      const part = this.#offered[to] as Record<string, (...values: readonly unknown[]) => unknown> | undefined; // Typed by `far`.
      if (typeof part?.[method] !== 'function') throw new Error(`This process does not offer ${to}.${method}.`);
      const result = await part[method](...args);
      if (id !== null) this.#answer(id, { answers: id, result });
    } catch (error) {
      if (id === null) this.#failed(to, method, error);
      else this.#answer(id, { answers: id, error: toRemoteError(error) });
    }
  }

  #answer(id: number, answer: Answer): void {
    if (this.#hasEnded) return;
    this.#wire.send(answer, (error) => this.#answer(id, { answers: id, error: toRemoteError(error) }));
  }

  #failed(to: string, method: string, error: unknown): void {
    this.#logger.error({ recipient: to, method, ...describeError(error) }, 'a call from another process failed');
  }
}

type PeerSocket = Socket<{ peer: Peer }>;

const HANDLERS = {
  data(socket: PeerSocket, bytes: Uint8Array) {
    socket.data.peer.received(bytes);
  },
  drain(socket: PeerSocket) {
    socket.data.peer.drained();
  },
  close(socket: PeerSocket) {
    socket.data.peer.closed();
  },
  error(socket: PeerSocket) {
    socket.end();
  },
};

function peerOf(socket: PeerSocket, offered: Offered, logger: Logger): Peer {
  return new Peer((onMessage) => new Wire(socket, onMessage), offered, logger);
}

/** Accepts connections at this path, which must not exist. `offer` is called for each connection and may offer different objects. */
export function listenForPeers(
  path: string,
  offer: (peer: () => Peer) => Offered,
  logger: Logger,
): UnixSocketListener<{ peer: Peer }> {
  return Bun.listen<{ peer: Peer }>({
    unix: path,
    socket: {
      ...HANDLERS,
      open(socket) {
        const peer: Peer = peerOf(
          socket,
          offer(() => peer),
          logger,
        );
        socket.data = { peer };
      },
    },
  });
}

/** Connects to a peer. Rejects if nothing listens at this path. */
export async function connectToPeer(path: string, offered: Offered, logger: Logger): Promise<Peer> {
  const { promise, resolve } = Promise.withResolvers<Peer>();
  await Bun.connect<{ peer: Peer }>({
    unix: path,
    socket: {
      ...HANDLERS,
      open(socket) {
        const peer = peerOf(socket, offered, logger);
        socket.data = { peer };
        resolve(peer);
      },
    },
  });
  return await promise;
}

function goneError(): Error {
  return new Error('The other process has exited.');
}
