/** The used parts of Scalar's plugin for Fastify, whose own types require Fastify. */
declare module '@scalar/fastify-api-reference' {
  export interface Reply {
    header(name: string, value: string): Reply;
    send(body: unknown): Reply;
  }
  export interface Route {
    readonly url: string;
    handler(request: unknown, reply: Reply): unknown;
  }
  export interface Server {
    route(route: Route): void;
    hasPlugin(name: string): boolean;
  }
  export interface PluginOptions {
    readonly routePrefix: string;
    readonly configuration: { readonly url: string };
  }
  const plugin: (server: Server, options: PluginOptions, done: () => void) => void;
  export default plugin;
}
