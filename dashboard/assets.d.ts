/** The address of an image. */
declare module '*.svg' {
  const address: string;
  export default address;
}
