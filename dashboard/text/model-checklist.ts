import { defineText } from './text.tsx';

/** The choice of a provider's models. */
export const modelChecklistText = defineText({
  en: {
    filter: 'Filter models',
    all: 'All',
    none: 'None',
    chosen: (count: number, all: number) => `${count} of ${all} selected`,
    nothing: 'No matches',
    more: (count: number) => `${count} more. Type to filter.`,
    unpriced: 'no price',
    categories: {
      chat: 'chat',
      image: 'image',
      video: 'video',
      audio: 'audio',
      tts: 'speech',
      stt: 'transcription',
      music: 'music',
      '3d': '3D',
      embedding: 'embedding',
      rerank: 'rerank',
      translation: 'translation',
    },
  },
  zh: {
    filter: '筛选模型',
    all: '全选',
    none: '全不选',
    chosen: (count, all) => `已选 ${count}/${all}`,
    nothing: '没有匹配项',
    more: (count) => `还有 ${count} 个，输入文字可筛选。`,
    unpriced: '无价格',
    categories: {
      chat: '对话',
      image: '图像',
      video: '视频',
      audio: '音频',
      tts: '语音合成',
      stt: '语音识别',
      music: '音乐',
      '3d': '3D',
      embedding: '嵌入',
      rerank: '重排序',
      translation: '翻译',
    },
  },
});
