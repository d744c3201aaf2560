/**
 * Returns whether two numbers of tokens are the same size written differently: 128,000 and 131,072 are both 128k, 1,000,000 and 1,048,576
 * both 1M, and "from 200,000" is "above 199,999".
 */
export function isSameSize(a: number, b: number): boolean {
  const [less, more] = a < b ? [a, b] : [b, a];
  if (more - less <= 1) return true;
  // A difference of one in the smaller number multiplies in the product.
  return Math.abs(less * 1024 - more * 1000) <= 1024 || Math.abs(less * 1024 ** 2 - more * 1000 ** 2) <= 1024 ** 2;
}
