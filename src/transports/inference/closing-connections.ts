import type { ServerHandler } from './route.ts';

/** Makes answers close their connections once the gateway stops, so that clients and load balancers open the next ones elsewhere. */
export class ClosingConnections {
  /** Why load balancers should open them elsewhere, too; `null` if they need not. */
  notReady: string | null = null;
  private isClosing = false;

  begin(notReady: string | null): void {
    this.notReady = notReady;
    this.isClosing = true;
  }

  around(handler: ServerHandler): ServerHandler {
    return (request, connections) => {
      const answer = handler(request, connections);
      return answer instanceof Promise ? answer.then(this.mark) : this.mark(answer);
    };
  }

  all(routes: Readonly<Record<string, ServerHandler>>): Record<string, ServerHandler> {
    return Object.fromEntries(Object.entries(routes).map(([path, handler]) => [path, this.around(handler)]));
  }

  /** Also marks answers to requests that arrived before `begin`. */
  readonly mark = (answer: Response): Response => {
    if (this.isClosing) answer.headers.set('connection', 'close');
    return answer;
  };
}
