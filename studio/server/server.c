#define _GNU_SOURCE // accept4
#include "server.h"

#include "model_reply.h"
#include "support/message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --- Sockets ----------------------------------------------------------------------------------

// A socket that listens on a loopback address; *port becomes the one it got.
static int listen_at(int family, int *port)
{
    struct sockaddr_storage address = {0};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address;
    socklen_t size = family == AF_INET ? sizeof *v4 : sizeof *v6;
    if (family == AF_INET) {
        *v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    } else {
        *v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)*port)};
        v6->sin6_addr = in6addr_loopback;
    }
    const int s = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    if (s >= 0 && setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        (family == AF_INET || setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == 0) &&
        bind(s, (struct sockaddr *)&address, size) == 0 && listen(s, 128) == 0 &&
        getsockname(s, (struct sockaddr *)&address, &size) == 0) {
        *port = ntohs(family == AF_INET ? v4->sin_port : v6->sin6_port);
        return s;
    }
    if (s >= 0) {
        close(s);
    }
    return -1;
}

static void forget(server *v, int i)
{
    v->waiting[i] = v->waiting[--v->nwaiting];
}

static void accept_all(server *v, int listener)
{
    for (int i = 0; i < 64; ++i) {
        const int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (s < 0) {
            return;
        }
        const int yes = 1;
        setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (v->nwaiting == SERVER_PENDING) { // the one that has waited longest makes room
            int oldest = 0;
            for (int k = 1; k < v->nwaiting; ++k) {
                oldest = v->waiting[k].since < v->waiting[oldest].since ? k : oldest;
            }
            close(v->waiting[oldest].socket);
            forget(v, oldest);
        }
        v->waiting[v->nwaiting++] = (pending){.socket = s, .since = seconds()};
    }
}

// Gives a connection to the HTTP library as soon as its request has arrived up to the body.
// Returns false where it does not wait any more.
static bool look_at(server *v, pending *p)
{
    static const char too_large[] = "HTTP/1.1 431 Request Header Fields Too Large\r\n"
                                    "Connection: close\r\nContent-Length: 0\r\n\r\n";
    char head[SERVER_HEADER];
    const ssize_t n = recv(p->socket, head, sizeof head, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return true;
    }
    if (n > 0 && memmem(head, (size_t)n, "\r\n\r\n", 4)) {
        struct sockaddr_in address = {.sin_family = AF_INET};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (MHD_add_connection(v->daemon, p->socket, (struct sockaddr *)&address, sizeof address) !=
            MHD_YES) {
            p->is_partial = true; // all connections are in use; again later
            return errno == ENFILE || errno == EMFILE;
        }
        return false;
    }
    if (n > 0 && n < SERVER_HEADER) {
        p->is_partial = true;
        return true;
    }
    if (n == SERVER_HEADER) {
        send(p->socket, too_large, sizeof too_large - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(p->socket, SHUT_WR);
    }
    close(p->socket);
    return false;
}

// --- Files of the model -------------------------------------------------------------------------

// Files are looked at when something in their folders was written, and twice a second besides:
// folders on other computers have no events. Without events, they are looked at with every tick.
static const double look_seconds = 0.5;

#ifdef __linux__

static void watch_folders(server *v)
{
    for (; v->notify >= 0 && v->nwatched < v->s.nwatched; ++v->nwatched) {
        const char *path = v->s.watched[v->nwatched].path;
        const char *slash = strrchr(path, '/');
        char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
        if (!folder) {
            exit(no_memory());
        }
        // Editors write a file in its place, or another that they rename.
        inotify_add_watch(v->notify, folder, IN_CLOSE_WRITE | IN_MOVED_TO);
        free(folder);
    }
}

static int open_events(void)
{
    return inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

#else

static void watch_folders(server *v)
{
    (void)v;
}

static int open_events(void)
{
    return -1;
}

#endif

// --- Opening ----------------------------------------------------------------------------------

int server_open(server *v, const command_line *args, int port)
{
    v->listener[0] = v->listener[1] = v->notify = -1;
    int code = shown_open(&v->s, args);
    if (code != EXIT_GOOD) {
        return code;
    }
    live_open(&v->l, &v->s, v->token);
    v->notify = open_events();
    v->port = port;
    v->listener[0] = listen_at(AF_INET, &v->port);
    if (v->listener[0] < 0) {
        return complain(EXIT_FILE, "cannot listen at 127.0.0.1:%d: %s", port, strerror(errno));
    }
    v->listener[1] = listen_at(AF_INET6, &v->port);
    if (!gate_make_token(v->token) || !gate_make_token(v->code)) {
        return complain(EXIT_FILE, "the system gives no random bytes");
    }
    return http_open(v) ? EXIT_GOOD : complain(EXIT_FILE, "the HTTP server does not start");
}

void server_address(const server *v, bool has_token, char text[SERVER_ADDRESS])
{
    snprintf(text, SERVER_ADDRESS, "http://127.0.0.1:%d/#%s=%s", v->port, has_token ? "t" : "c",
             has_token ? v->token : v->code);
}

const char *server_exchange(server *v, const char *code)
{
    char address[SERVER_ADDRESS];
    if (!gate_is_token(code, v->code)) {
        return NULL;
    }
    if (!v->is_code_used) {
        v->is_code_used = true;
        return v->token;
    }
    if (gate_make_token(v->token)) {
        live_close(&v->l);
        server_address(v, true, address);
        printf("The code that opened the page was used twice, maybe by another user of this "
               "machine: the address is another from now on.\n%s\n",
               address);
        fflush(stdout);
    }
    return NULL;
}

void server_close(server *v)
{
    jobs_close(&v->j);
    if (v->daemon) {
        live_close(&v->l);
        MHD_run(v->daemon);
        MHD_stop_daemon(v->daemon);
    }
    for (int i = 0; i < v->nwaiting; ++i) {
        close(v->waiting[i].socket);
    }
    for (int i = 0; i < 2; ++i) {
        if (v->listener[i] >= 0) {
            close(v->listener[i]);
        }
    }
    if (v->notify >= 0) {
        close(v->notify);
    }
    shown_close(&v->s);
}

// --- The loop ---------------------------------------------------------------------------------

enum { NOTIFY = 3, FIXED, POLL_MOST = FIXED + SERVER_PENDING + CLIENTS_MOST + JOBS_MOST };

/// What is waited for, and whose each entry is.
typedef struct poll_set {
    struct pollfd fd[POLL_MOST];
    int n, first_client, first_job;
    int client[CLIENTS_MOST];
} poll_set;

static void add(poll_set *set, int fd, short events)
{
    set->fd[set->n++] = (struct pollfd){.fd = fd, .events = events};
}

static void fill(server *v, poll_set *set)
{
    set->n = 0;
    add(set, MHD_get_daemon_info(v->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN);
    add(set, v->listener[0], POLLIN);
    add(set, v->listener[1], POLLIN);
    add(set, v->notify, POLLIN);
    for (int i = 0; i < v->nwaiting; ++i) {
        add(set, v->waiting[i].is_partial ? -1 : v->waiting[i].socket, POLLIN);
    }
    set->first_client = set->n;
    for (int i = 0; i < CLIENTS_MOST; ++i) {
        const client *c = &v->l.client[i];
        if (c->socket >= 0) {
            set->client[set->n - set->first_client] = i;
            add(set, c->socket, (short)(POLLIN | (c->nout > 0 ? POLLOUT : 0)));
        }
    }
    set->first_job = set->n;
    for (int i = 0; i < JOBS_MOST; ++i) {
        if (v->j.job[i].id > 0 && v->j.job[i].alive >= 0) {
            add(set, v->j.job[i].alive, POLLIN);
        }
    }
}

static void serve_pending(server *v, const poll_set *set, bool is_tick)
{
    const double now = seconds();
    const int count = set->first_client - FIXED;
    for (int i = count - 1; i >= 0; --i) { // from the end: forget() moves the last one
        pending *p = &v->waiting[i];
        const bool is_late = now - p->since > SERVER_SECONDS;
        const bool is_due = set->fd[FIXED + i].revents != 0 || (is_tick && p->is_partial);
        if (is_due && !look_at(v, p)) {
            forget(v, i);
        } else if (is_late) {
            close(p->socket);
            forget(v, i);
        }
    }
}

static void serve_clients(server *v, const poll_set *set)
{
    for (int i = set->first_client; i < set->first_job; ++i) {
        client *c = &v->l.client[set->client[i - set->first_client]];
        if (c->socket == set->fd[i].fd && set->fd[i].revents & POLLOUT) {
            live_write(&v->l, c);
        }
        if (c->socket == set->fd[i].fd && set->fd[i].revents & (POLLIN | POLLHUP | POLLERR)) {
            live_read(&v->l, c);
        }
    }
}

static void serve_jobs(server *v)
{
    for (operation *task; (task = jobs_collect(&v->j)) != NULL;) {
        task->is_new = false;
        live_event(&v->l, json_pack("{s:s, s:i, s:i}", "event", "job", "job", task->id, "code",
                                    task->code));
    }
}

static void look_at_files(server *v)
{
    char events[4096];
    while (v->notify >= 0 && read(v->notify, events, sizeof events) > 0) {
    }
    if (!shown_has_changed(&v->s)) {
        return;
    }
    if (shown_reload(&v->s, NULL, 0)) {
        live_event(&v->l, json_pack("{s:s, s:i}", "event", "model", "version", v->s.version));
        live_frame(&v->l);
    } else {
        json_t *findings = findings_reply(&v->s);
        json_object_set_new(findings, "event", json_string("findings"));
        live_event(&v->l, findings);
    }
}

int server_run(server *v, bool (*goes_on)(void *), void *context)
{
    poll_set *set = malloc(sizeof *set);
    if (!set) {
        return no_memory();
    }
    double last_tick = seconds(), last_look = last_tick;
    while (goes_on(context)) {
        watch_folders(v);
        fill(v, set);
        MHD_UNSIGNED_LONG_LONG due = 100;
        int wait = 100;
        if (MHD_get_timeout(v->daemon, &due) == MHD_YES && due < 100) {
            wait = (int)due;
        }
        if (poll(set->fd, (nfds_t)set->n, wait) < 0 && errno != EINTR) {
            free(set);
            return complain(EXIT_FILE, "poll: %s", strerror(errno));
        }
        const bool is_tick = seconds() - last_tick > 0.09;
        serve_pending(v, set, is_tick);
        serve_clients(v, set);
        for (int i = 1; i < NOTIFY; ++i) {
            if (set->fd[i].revents & POLLIN) {
                accept_all(v, set->fd[i].fd);
            }
        }
        MHD_run(v->daemon);
        serve_jobs(v);
        if (is_tick) {
            last_tick = seconds();
            live_tick(&v->l);
        }
        const double patience = v->notify >= 0 ? look_seconds : 0.0;
        if (set->fd[NOTIFY].revents != 0 || (is_tick && last_tick - last_look > patience)) {
            last_look = seconds();
            look_at_files(v);
        }
    }
    free(set);
    return EXIT_GOOD;
}
