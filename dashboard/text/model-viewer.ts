import { defineText } from './text.tsx';

/** The view of a 3D model. */
export const modelViewerText = defineText({
  en: {
    keys: 'Arrow keys rotate, + and − zoom',
    drag: 'Drag to rotate, scroll to zoom',
    failed: 'This model can’t be previewed. Download it instead.',
  },
  zh: {
    keys: '方向键旋转，+ 和 − 缩放',
    drag: '拖动旋转，滚轮缩放',
    failed: '无法预览该模型，请下载查看。',
  },
});
