"""The server of a page: it hands out the page, answers its questions in threads, and knows which pages are open."""

from __future__ import annotations

from typing import Annotated

import msgspec
from anyio import CapacityLimiter, to_thread
from msgspec import Meta, Struct
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from orderspn.core.errors import UserError
from orderspn.explorer.answering import Answering, error_document
from orderspn.explorer.guard import Guard
from orderspn.explorer.page import page, policy
from orderspn.explorer.questions import SLOW, AnyQuestion, read_question
from orderspn.explorer.visitors import Visitors

QUICK_AT_ONCE, SLOW_AT_ONCE = 2, 1
"""How many questions of either kind are answered at the same time; kernels use all cores for each of them."""

MOST_WAITING = 24
"""How many questions may wait; more are refused, and the page asks again."""


class Sign(Struct, forbid_unknown_fields=True, frozen=True):
    """A sign of life of a page, or its last one."""

    page: Annotated[str, Meta(min_length=1, max_length=64)]
    leaving: bool = False


class Desk:
    """Takes questions, and answers them in threads: quick ones never wait for slow ones."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._waiting = 0
        self._quick, self._slow = CapacityLimiter(QUICK_AT_ONCE), CapacityLimiter(SLOW_AT_ONCE)

    async def ask(self, request: Request) -> Response:
        """Answer the question of a request."""
        if self._waiting >= MOST_WAITING:
            return JSONResponse({"error": {"kind": "busy", "message": "too many questions at once."}}, 503)
        self._waiting += 1
        try:
            question = read_question(await request.body())
            return await self._answered(question, request)
        except UserError as problem:
            return _json(error_document(problem))
        except ClientDisconnect:
            return Response(status_code=400)
        finally:
            self._waiting -= 1

    async def _answered(self, question: AnyQuestion, request: Request) -> Response:
        limiter = self._slow if isinstance(question, SLOW) else self._quick
        async with limiter:
            if await request.is_disconnected():  # the page has moved on while this waited
                return Response(status_code=400)
            own = CapacityLimiter(1)  # the place is taken already; anyio wants a limiter all the same
            found = await to_thread.run_sync(self._answering.answer, question, limiter=own, abandon_on_cancel=True)
        return _json(found)


def make_app(answering: Answering, visitors: Visitors, title: str, token: str, port: int) -> Starlette:
    """Make the application: a page, its questions, and its signs of life. There are no files to be had."""
    desk = Desk(answering)

    async def show(_: Request) -> Response:
        return HTMLResponse(
            page(title), headers={"content-security-policy": f"{policy(served=True)}; frame-ancestors 'none'"}
        )

    async def hear(request: Request) -> Response:
        try:
            sign = msgspec.json.decode(await request.body(), type=Sign)
        except (msgspec.DecodeError, UnicodeDecodeError, ClientDisconnect):
            return Response(status_code=400)
        (visitors.left if sign.leaving else visitors.came)(sign.page)
        return Response(status_code=204)

    return Starlette(
        routes=[
            Route("/", show, methods=["GET"]),
            Route("/ask", desk.ask, methods=["POST"]),
            Route("/alive", hear, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, token=token, port=port)],
    )


def _json(document: dict[str, object]) -> Response:
    return Response(msgspec.json.encode(document), media_type="application/json")
