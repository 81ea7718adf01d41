"""Scenes of text in many scripts: messages, titles and a question as people write them, and what deceives in prose."""

from collections.abc import AsyncIterator

from tests.fakes.fake_model_api import text_turn, tool_turn
from tests.screens.stage import Stage

SCRIPTS = """## 测试结果 · テスト結果 · 테스트 결과

你好，世界。修复：登录错误，请看https://example.com/文档。 こんにちは、世界。全部（24件）成功。 안녕하세요, 세상!

Съешь ещё этих мягких булок. Καλημέρα κόσμε! Բարև աշխարհ։ გამარჯობა მსოფლიო. ሰላም ዓለም። Tiếng Việt có dấu.

नमस्ते दुनिया। क्‍ष আমি বাংলায় গান গাই। வணக்கம் உலகம் ශ්‍රී ලංකාව สวัสดีชาวโลก မင်္ဂလာပါ សួស្តីពិភពលោក

🎉 👍🏽 ❤️ 👨‍👩‍👧‍👦 🧑🏽‍🚀 🏳️‍🌈 🇩🇪 1️⃣ done"""
RIGHT_TO_LEFT = """## سبب الخطأ

يضيف كل تحويل المعامل `next` مرة أخرى، انظر `auth/middleware.py`:

1. يُحذف ملف الارتباط.
2. ثم `login(target)` يقتبس العنوان *كله*.
- [x] وجدت السبب
- [ ] غيّرت الوسيط

> لا يجوز أن يسمي التحويل نفسه.

הריצו `pip install -e .` ואז `git push --force`, בבקשה! עדכנתי את הקובץ ב-GitHub (3 בדיקות עברו).

من می‌خواهم کتاب‌ها را بخوانم؛ API‌های تازه آماده‌اند.

| الجولة | الطول | Answer |
|---|---:|---|
| الأولى | 31 | 302 |"""
PLANTED = """Ordinary words first: Привет, שלום, مرحبا, 你好。

The file is called \u202egpj.exe and the flag is \u2067dry\u2069 run; pass\u200bword, joined 😀\U000e0072\U000e006d.

Log in to pаypal at https://пример.рф/вход or gооgle.com, see [https://github.com](https://evil.example/login).

Run `раss` and `می\u200cخواهم`, or:

```sh
сat README.md
```"""
QUESTION = {
    "id": "q", "question": "באיזה מסד נתונים להשתמש? 👩‍💻", "header": "מסד נתונים",
    "options": [
        {"label": "פוסטגרס (PostgreSQL)", "description": "המהיר ביותר, דורש שרת."},
        {"label": "قاعدة SQLite", "description": "ملف واحد، بلا خادم."},
        {"label": "内存数据库", "description": "仅用于测试，不保存。"},
    ],
}  # fmt: skip


async def scripts_transcript(stage: Stage) -> AsyncIterator[str]:
    """38"""
    stage.clock.back(minutes=5)
    chat = await stage.chat("请检查登录测试，谢谢。👩‍💻", text_turn(SCRIPTS), title="检查登录测试。", place="checkout")
    await stage.ended(chat)
    yield "38-scripts-transcript"
    chat = await stage.chat(
        "למה ההפניה נכשלת? 🤔", text_turn(RIGHT_TO_LEFT), title="למה ההפניה נכשלת?", place="checkout"
    )
    await stage.ended(chat)
    yield "38-scripts-right-to-left"


async def scripts_planted(stage: Stage) -> AsyncIterator[str]:
    """38"""
    chat = await stage.chat("What deceives?", text_turn(PLANTED), title="Release\u202e שלום", place="checkout")
    await stage.ended(chat)
    yield "38-scripts-planted"


async def scripts_question(stage: Stage) -> AsyncIterator[str]:
    """38"""
    await stage.chat(
        "בחרו מסד נתונים", tool_turn("ask_user", title="מסד נתונים", questions=[QUESTION]), place="checkout"
    )
    await stage.card("question_card")
    yield "38-scripts-question"
