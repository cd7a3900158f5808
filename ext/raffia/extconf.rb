# frozen_string_literal: true

require "mkmf"

core = File.join(__dir__, "core")
sources = Dir[File.join(__dir__, "{core,bind}", "*.c")].sort

# The core is C11 and uses the GNU names of libc; ruby.h and all probes below get the same flags.
$CFLAGS << " -std=c11 -fvisibility=hidden"
$defs << "-D_GNU_SOURCE=1"
# Ruby's own style, which is older than C99.
$warnflags = $warnflags.to_s.gsub("-Wdeclaration-after-statement", "")
# A function without a declaration would be found missing only at its first call.
$CFLAGS << " -Werror=implicit-function-declaration"
# The objects of core/ and bind/ lie in one folder.
$VPATH << "$(srcdir)/core" << "$(srcdir)/bind"
$INCFLAGS << " -I$(srcdir)/core -I$(srcdir)/bind"
$srcs = sources.map { |file| File.basename(file) }

# RAFFIA_DEBUG=1: for a debugger, with assertions.
if ENV["RAFFIA_DEBUG"]
  $CFLAGS << " -O0 -g3 -UNDEBUG"
  $optflags = ""
end

# RAFFIA_SANITIZE=address,undefined (or 1, which means both): the Ruby that loads it needs
# LD_PRELOAD of the sanitizer's library.
if (sanitizers = ENV["RAFFIA_SANITIZE"])
  sanitizers = "address,undefined" if sanitizers == "1"
  $CFLAGS << " -g -fno-omit-frame-pointer -fsanitize=#{sanitizers}"
  $LDFLAGS << " -fsanitize=#{sanitizers}"
  $DLDFLAGS << " -fsanitize=#{sanitizers}"
  # The sanitizer does not see Ruby's exceptions leave frames, nor its fibers reuse stacks: its
  # records of stacks are wrong.
  $CFLAGS << " --param asan-stack=0" if try_cflags("--param asan-stack=0")
end

# The write buffer of an IO, Ruby up to 3.4. Without it a forked worker may write bytes that a
# thread of its parent writes, too.
have_struct_member("rb_io_t", "wbuf", %w[ruby.h ruby/io.h])

# The references of a fiber's stack, for IO#close on Ruby before 4.0 (bind/unblock.c). Ruby's
# headers do not declare it, its objspace uses it.
have_func("rb_objspace_reachable_objects_from")

# eventfd(2), Linux 2.6.27: wakes the loop from other threads. Without it, a pipe does.
have_func("eventfd", "sys/eventfd.h")

# epoll_pwait2(2), Linux 5.11 and glibc 2.35: sleeps of nanoseconds under epoll. Without it they are
# rounded up to milliseconds.
have_func("epoll_pwait2", "sys/epoll.h")

# ppoll(2), glibc 2.4: the same under poll. Without it, milliseconds.
have_func("ppoll", "poll.h")

# preadv2(2) with RWF_NOWAIT, Linux 4.14 and glibc 2.26: transfers that do not wait, on descriptors
# that are not O_NONBLOCK. Without it each is preceded by poll(2).
have_func("preadv2", "sys/uio.h")

# liburing 2.3: the io_uring back end. Without it there are epoll and poll. Linked with functions of
# 2.3, not only found: version 2.9 does not compile by itself where the kernel's headers are older
# (see core/uring.h).
before = [$libs, $CFLAGS, $LDFLAGS, $INCFLAGS].map(&:dup)
if pkg_config("liburing") && try_link(<<~C, "-I#{core}")
  #include "uring.h"
  int main(void)
  {
      struct io_uring ring;
      unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
      return io_uring_queue_init(1, &ring, flags) || io_uring_get_events(&ring);
  }
C
  $defs << "-DHAVE_LIBURING"
else
  $libs, $CFLAGS, $LDFLAGS, $INCFLAGS = before
  message "liburing >= 2.3 was not found: built without io_uring\n"
end

# llhttp 9: parses the server's HTTP/1.1. Without it there is no server (`require "raffia/server"`
# raises), and all else works. A static library is preferred and its symbols are hidden, because
# another extension of the process may have an older version.
before = [$libs, $CFLAGS, $LDFLAGS, $INCFLAGS].map(&:dup)
llhttp = <<~C
  #include <llhttp.h>
  #if LLHTTP_VERSION_MAJOR < 9
  #error "older versions are lenient by themselves"
  #endif
  int parse(llhttp_t *parser, const llhttp_settings_t *settings);
  int parse(llhttp_t *parser, const llhttp_settings_t *settings)
  {
      llhttp_init(parser, HTTP_REQUEST, settings);
      return llhttp_execute(parser, "", 0);
  }
C
main = "int main(void) { llhttp_t parser; llhttp_settings_t settings = {0}; return " \
  "parse(&parser, &settings); }\n"
if pkg_config("libllhttp") && try_link(llhttp + main)
  $defs << "-DHAVE_LLHTTP"
  archive = File.join(`pkg-config --variable=libdir libllhttp`.chomp, "libllhttp.a")
  hidden = "-Wl,--exclude-libs,libllhttp.a"
  # Not every archive can be linked into a shared library.
  if File.exist?(archive) && try_link(llhttp, "-shared -fPIC #{archive} #{hidden}")
    $libs = $libs.gsub(/(?<=\A|\s)-lllhttp(?=\s|\z)/, archive)
    $DLDFLAGS << " #{hidden}"
  end
else
  $libs, $CFLAGS, $LDFLAGS, $INCFLAGS = before
  message "llhttp >= 9 was not found: built without the HTTP server\n"
end

# libnghttp2: HTTP/2 of the server. Without it the server speaks HTTP/1.1 only. Both limits are
# answers to attacks, and distributions have added them to older versions, so the functions are
# looked for, not a version.
before = [$libs, $CFLAGS, $LDFLAGS, $INCFLAGS].map(&:dup)
if pkg_config("libnghttp2") && try_link(<<~C)
  #include <nghttp2/nghttp2.h>
  int main(void)
  {
      nghttp2_option *option;
      nghttp2_option_new(&option);
      nghttp2_option_set_max_continuations(option, 8);
      nghttp2_option_set_stream_reset_rate_limit(option, 1000, 33);
      return 0;
  }
C
  $defs << "-DHAVE_NGHTTP2"
else
  $libs, $CFLAGS, $LDFLAGS, $INCFLAGS = before
  message "libnghttp2 with rate limits was not found: built without HTTP/2\n"
end

# kqueue(2): the back end of macOS and the BSDs, which have it in libc. Without it there is poll.
#
# libkqueue 2.6 has it on Linux, on top of epoll, for tests of that back end. It needs
# RAFFIA_KQUEUE=1: its first kqueue() starts a thread and sets permanent fork handlers, and the
# engine probes each back end of a build in each process that loads Raffia. The C tests use it
# wherever pkg-config finds it (rakelib/native.rake).
if ENV["RAFFIA_KQUEUE"]
  unless pkg_config("libkqueue")
    abort "RAFFIA_KQUEUE is set, but pkg-config does not find libkqueue"
  end
  $defs << "-DHAVE_KQUEUE"
elsif !RUBY_PLATFORM.include?("linux")
  have_func("kqueue", %w[sys/types.h sys/event.h])
end

# Installed as lib/raffia/raffia.so, where lib/raffia/native.rb looks for it.
create_makefile("raffia/raffia")
